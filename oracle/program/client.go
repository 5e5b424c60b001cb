package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"reflect"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	utiljson "k8s.io/apimachinery/pkg/util/json"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// What the operator's client does beyond the fake one. Custom resources that it creates go through the API server's
// own steps. They are stored in one version, and converted where the operator reads or writes another.

func (c *cluster) create(
	ctx context.Context, inner client.WithWatch, object client.Object, options ...client.CreateOption,
) error {
	key := c.identify(object)
	stored, err := c.admit(object, key.kind)
	if err != nil {
		return err
	}
	if stored.GetUID() == "" {
		c.uids++
		stored.SetUID(types.UID(fmt.Sprintf("22222222-2222-4222-8222-%012d", c.uids)))
	}
	stored.SetGeneration(1)
	if err := inner.Create(ctx, stored, options...); err != nil {
		return err
	}
	c.objects[c.identify(stored)] = true
	return c.into(stored, object)
}

// admit returns what the API server stores of an object that the operator creates.
func (c *cluster) admit(object client.Object, kind schema.GroupVersionKind) (client.Object, error) {
	if c.server.resources[kind.GroupKind()] == nil {
		return object, nil
	}
	sent, err := untyped(object, kind)
	if err != nil {
		return nil, err
	}
	stored, _, err := c.server.create(sent, operatorUser)
	if err != nil {
		return nil, fmt.Errorf("%s %s rejected: %w", kind.Kind, object.GetName(), err)
	}
	return c.typed(stored)
}

func untyped(object client.Object, kind schema.GroupVersionKind) (*unstructured.Unstructured, error) {
	data, err := json.Marshal(object)
	if err != nil {
		return nil, err
	}
	result := &unstructured.Unstructured{}
	if err := utiljson.Unmarshal(data, &result.Object); err != nil {
		return nil, err
	}
	result.SetGroupVersionKind(kind)
	return result, nil
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

// otherVersion returns an empty object of the stored version, where the operator works with another one.
func (c *cluster) otherVersion(kind schema.GroupVersionKind) runtime.Object {
	target := c.server.resources[kind.GroupKind()]
	if target == nil || target.storage == kind.Version {
		return nil
	}
	empty, err := c.manager.scheme.New(target.kind.WithVersion(target.storage))
	if err != nil {
		return nil
	}
	return empty
}

// as returns an object in another version of its kind.
func (c *cluster) as(object client.Object, version string) (client.Object, error) {
	kind := c.identify(object).kind
	if kind.Version == version {
		return object, nil
	}
	plain, err := untyped(object, kind)
	if err != nil {
		return nil, err
	}
	converted, err := c.server.inVersion(c.server.resources[kind.GroupKind()], plain, version)
	if err != nil {
		return nil, err
	}
	return c.typed(converted)
}

// into copies an object to where the operator wants it, in the version that the operator has there.
func (c *cluster) into(object, target client.Object) error {
	if object == target {
		return nil
	}
	result, err := c.as(object, c.identify(target).kind.Version)
	if err != nil {
		return err
	}
	reflect.ValueOf(target).Elem().Set(reflect.ValueOf(result).Elem())
	return nil
}

func (c *cluster) read(
	ctx context.Context, inner client.WithWatch, key client.ObjectKey, object client.Object, options ...client.GetOption,
) error {
	other := c.otherVersion(c.identify(object).kind)
	if other == nil {
		return inner.Get(ctx, key, object, options...)
	}
	stored := other.(client.Object)
	if err := inner.Get(ctx, key, stored, options...); err != nil {
		return err
	}
	return c.into(stored, object)
}

func (c *cluster) list(
	ctx context.Context, inner client.WithWatch, list client.ObjectList, options ...client.ListOption,
) error {
	kinds, _, err := c.manager.scheme.ObjectKinds(list)
	if err != nil || len(kinds) == 0 {
		return inner.List(ctx, list, options...)
	}
	item := kinds[0].GroupVersion().WithKind(kinds[0].Kind[:len(kinds[0].Kind)-len("List")])
	if c.otherVersion(item) == nil {
		return inner.List(ctx, list, options...)
	}
	target := c.server.resources[item.GroupKind()]
	stored, err := c.manager.scheme.New(target.kind.WithVersion(target.storage).GroupVersion().WithKind(kinds[0].Kind))
	if err != nil {
		return err
	}
	if err := inner.List(ctx, stored.(client.ObjectList), options...); err != nil {
		return err
	}
	return c.convertList(stored, list, item.Version)
}

func (c *cluster) convertList(stored, list runtime.Object, version string) error {
	items, err := meta.ExtractList(stored)
	if err != nil {
		return err
	}
	for index, item := range items {
		if items[index], err = c.as(item.(client.Object), version); err != nil {
			return err
		}
	}
	return meta.SetList(list, items)
}

// update counts the generation as an API server does, which the fake client doesn't.
func (c *cluster) update(
	ctx context.Context, inner client.WithWatch, object client.Object, options ...client.UpdateOption,
) error {
	stored := object
	if other := c.otherVersion(c.identify(object).kind); other != nil {
		var err error
		if stored, err = c.as(object, c.identify(other.(client.Object)).kind.Version); err != nil {
			return err
		}
	}
	before := stored.DeepCopyObject().(client.Object)
	if err := inner.Get(ctx, client.ObjectKeyFromObject(object), before); err != nil {
		return err
	}
	stored.SetGeneration(before.GetGeneration())
	if !bytes.Equal(content(before), content(stored)) {
		stored.SetGeneration(before.GetGeneration() + 1)
	}
	if err := inner.Update(ctx, stored, options...); err != nil {
		return err
	}
	return c.into(stored, object)
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
	stored := object
	if other := c.otherVersion(c.identify(object).kind); other != nil {
		stored = other.(client.Object)
		stored.SetName(object.GetName())
		stored.SetNamespace(object.GetNamespace())
	}
	err := inner.Delete(ctx, stored, options...)
	if err == nil {
		delete(c.objects, c.identify(stored))
	}
	return err
}
