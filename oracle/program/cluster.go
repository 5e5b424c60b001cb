package main

import (
	"context"
	"fmt"
	"net/http/httptest"

	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
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
	stored  client.WithWatch
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
	return interceptor.NewClient(built, interceptor.Funcs{
		Create: c.create, Get: c.read, List: c.list, Update: c.update, Delete: c.delete,
	})
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

// apply creates an object of the input, as its user does.
func (c *cluster) apply(document *unstructured.Unstructured) ([]string, error) {
	object := document.DeepCopy()
	// An export holds what a server had filled in; a create request drops it.
	for _, field := range []string{"managedFields", "resourceVersion", "generation", "creationTimestamp", "selfLink"} {
		unstructured.RemoveNestedField(object.Object, "metadata", field)
	}
	target := c.server.resourceOf(object)
	var warnings []string
	if target != nil {
		var err error
		if object.GetNamespace() == "" {
			object.SetNamespace("default")
		}
		if object, warnings, err = c.server.create(object, inputUser); err != nil {
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
