package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http/httptest"
	"reflect"

	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	utiljson "k8s.io/apimachinery/pkg/util/json"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/apiutil"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
	"sigs.k8s.io/controller-runtime/pkg/webhook/conversion"
)

const (
	inputUser = "kubernetes-admin"
	// inputUID is the UID of objects whose input gives none: names that derive from it are the same each time.
	inputUID = "11111111-1111-4111-8111-111111111111"
	// rounds is how often everything is reconciled at most. Two components whose names differ in case only
	// never rest: each writes the objects of the other again.
	rounds = 20
)

// clusterScoped are the kinds without a namespace that an input may take for granted.
var clusterScoped = map[string]bool{
	"ClusterRole": true, "ClusterRoleBinding": true, "ClusterTopology": true, "ClusterTopologyBinding": true,
	"CustomResourceDefinition": true, "DeviceClass": true, "IngressClass": true, "Namespace": true, "Node": true,
	"PersistentVolume": true, "PriorityClass": true, "Queue": true, "StorageClass": true,
}

type reconciler = reconcile.Reconciler

// identity names one object of the cluster.
type identity struct {
	kind schema.GroupVersionKind
	name types.NamespacedName
}

// String sorts by kind, then by name.
func (i identity) String() string { return fmt.Sprint(i.kind.Kind, i.kind, i.name) }

// cluster is an empty cluster with the operator in it.
type cluster struct {
	manager  *fakeManager
	server   *apiServer
	operator *operator
	http     *httptest.Server
	// stored is the fake client without the steps that the operator's own creations take.
	stored  client.Client
	objects map[identity]bool
	given   map[identity]bool
	uids    int
}

func newCluster(o options, api resources) (*cluster, error) {
	config, err := loadConfig(o.config, o.target)
	if err != nil {
		return nil, err
	}
	c := &cluster{objects: map[identity]bool{}, given: map[identity]bool{}}
	late := &lateClient{}
	c.http = newDiscovery(o.target, late)
	c.manager = &fakeManager{
		scheme: newScheme(), client: late, rest: &rest.Config{Host: c.http.URL},
		webhooks: newWebhookServer(), converters: conversion.NewRegistry(),
	}
	c.manager.mapper = newMapper(c.manager.scheme)
	c.server = &apiServer{resources: api, webhooks: c.manager.webhooks}
	if c.operator, err = setUpOperator(c.manager, config, o.version); err != nil {
		c.close()
		return nil, err
	}
	late.Client = c.newClient()
	for _, role := range []string{
		config.RBAC.PlannerClusterRoleName, config.RBAC.DGDRProfilingClusterRoleName, config.RBAC.EPPClusterRoleName,
	} {
		if err := c.install(role); err != nil {
			c.close()
			return nil, err
		}
	}
	return c, nil
}

func newMapper(scheme *runtime.Scheme) meta.RESTMapper {
	mapper := meta.NewDefaultRESTMapper(scheme.PreferredVersionAllGroups())
	for kind := range scheme.AllKnownTypes() {
		if clusterScoped[kind.Kind] {
			mapper.Add(kind, meta.RESTScopeRoot)
		} else {
			mapper.Add(kind, meta.RESTScopeNamespace)
		}
	}
	return mapper
}

func (c *cluster) close() { c.http.Close() }

// install creates a cluster role of the operator's Helm chart.
func (c *cluster) install(role string) error {
	if role == "" {
		return nil
	}
	object := &rbacv1.ClusterRole{}
	object.Name = role
	err := c.manager.client.Create(context.Background(), object)
	c.given[c.identify(object)] = true
	return err
}

func (c *cluster) newClient() client.Client {
	builder := fake.NewClientBuilder().WithScheme(c.manager.scheme).WithRESTMapper(c.manager.mapper).
		WithStatusSubresource(c.withStatus()...)
	for _, index := range c.manager.indexes {
		builder = builder.WithIndex(index.object, index.field, index.extract)
	}
	built := builder.Build()
	c.stored = built
	return interceptor.NewClient(built, interceptor.Funcs{Create: c.create, Update: c.update, Delete: c.delete})
}

func (c *cluster) withStatus() []client.Object {
	var kinds []client.Object
	for _, known := range c.server.resources {
		for version := range known.versions {
			if object, err := c.manager.scheme.New(known.kind.WithVersion(version)); err == nil {
				kinds = append(kinds, object.(client.Object))
			}
		}
	}
	return kinds
}

func (c *cluster) identify(object client.Object) identity {
	kind, err := apiutil.GVKForObject(object, c.manager.scheme)
	if err != nil {
		kind = object.GetObjectKind().GroupVersionKind()
	}
	return identity{kind, client.ObjectKeyFromObject(object)}
}

// create is what the operator's client does: custom resources go through the API server's own steps.
func (c *cluster) create(
	ctx context.Context, inner client.WithWatch, object client.Object, options ...client.CreateOption,
) error {
	key := c.identify(object)
	if c.server.resources[key.kind.GroupKind()] != nil {
		if err := c.admit(object, key.kind); err != nil {
			return err
		}
	}
	if object.GetUID() == "" {
		c.uids++
		object.SetUID(types.UID(fmt.Sprintf("22222222-2222-4222-8222-%012d", c.uids)))
	}
	object.SetGeneration(1)
	if err := inner.Create(ctx, object, options...); err != nil {
		return err
	}
	c.objects[key] = true
	return nil
}

// admit replaces a custom resource that the operator creates with what the API server would store.
func (c *cluster) admit(object client.Object, kind schema.GroupVersionKind) error {
	data, err := json.Marshal(object)
	if err != nil {
		return err
	}
	sent := &unstructured.Unstructured{}
	if err := utiljson.Unmarshal(data, &sent.Object); err != nil {
		return err
	}
	sent.SetGroupVersionKind(kind)
	stored, _, err := c.server.create(sent, operatorUser, kind.Version)
	if err != nil {
		return fmt.Errorf("%s %s rejected: %w", kind.Kind, object.GetName(), err)
	}
	typed, err := c.typed(stored)
	if err != nil {
		return err
	}
	reflect.ValueOf(object).Elem().Set(reflect.ValueOf(typed).Elem())
	return nil
}

// typed returns an object in its Go type; kinds that the operator has no type for stay as they are.
func (c *cluster) typed(object *unstructured.Unstructured) (client.Object, error) {
	empty, err := c.manager.scheme.New(object.GroupVersionKind())
	if err != nil {
		return object, nil
	}
	data, err := object.MarshalJSON()
	if err != nil {
		return nil, err
	}
	return empty.(client.Object), json.Unmarshal(data, empty)
}

// update counts the generation as an API server does, which the fake client doesn't.
func (c *cluster) update(
	ctx context.Context, inner client.WithWatch, object client.Object, options ...client.UpdateOption,
) error {
	before := object.DeepCopyObject().(client.Object)
	if err := inner.Get(ctx, client.ObjectKeyFromObject(object), before); err != nil {
		return err
	}
	object.SetGeneration(before.GetGeneration())
	if !bytes.Equal(content(before), content(object)) {
		object.SetGeneration(before.GetGeneration() + 1)
	}
	return inner.Update(ctx, object, options...)
}

// content is all of an object that a generation counts.
func content(object client.Object) []byte {
	data, _ := json.Marshal(object)
	fields := map[string]any{}
	_ = json.Unmarshal(data, &fields)
	delete(fields, "metadata")
	delete(fields, "status")
	data, _ = json.Marshal(fields)
	return data
}

func (c *cluster) delete(
	ctx context.Context, inner client.WithWatch, object client.Object, options ...client.DeleteOption,
) error {
	err := inner.Delete(ctx, object, options...)
	if err == nil {
		delete(c.objects, c.identify(object))
	}
	return err
}

// apply creates an object of the input, as its user does.
func (c *cluster) apply(document *unstructured.Unstructured) ([]string, error) {
	object := document.DeepCopy()
	target := c.server.resourceOf(object)
	var warnings []string
	if target != nil {
		var err error
		if object.GetNamespace() == "" {
			object.SetNamespace("default")
		}
		if object, warnings, err = c.server.create(object, inputUser, c.readVersion(target)); err != nil {
			return warnings, err
		}
		if uid := document.GetUID(); uid != "" {
			object.SetUID(uid)
		} else {
			object.SetUID(inputUID)
		}
	}
	typed, err := c.typed(object)
	if err != nil {
		return warnings, refuse("schema", err)
	}
	if target == nil && typed.GetNamespace() == "" && !clusterScoped[object.GetKind()] {
		typed.SetNamespace("default")
	}
	key := c.identify(typed)
	c.given[key], c.objects[key] = true, true
	return warnings, c.stored.Create(context.Background(), typed)
}

// readVersion is the version of a kind that the operator's controllers work with.
func (c *cluster) readVersion(target *resource) string {
	if target.kind.Kind == "DynamoGraphDeploymentScalingAdapter" {
		return "v1alpha1"
	}
	return target.storage
}
