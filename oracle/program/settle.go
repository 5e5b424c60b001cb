package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"sort"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
)

// settle reconciles everything again and again until nothing changes.
// It returns what fails in the last round, and whether the cluster came to rest.
func (c *cluster) settle() (problems []string, rests bool) {
	ctx := context.Background()
	before := ""
	for round := 0; round < rounds; round++ {
		_ = c.operator.refresh(ctx)
		problems = nil
		for _, controller := range c.operator.controllers {
			for _, key := range c.sorted() {
				if key.kind.Kind != controller.kind {
					continue
				}
				if _, err := controller.reconcile.Reconcile(ctx, reconcile.Request{NamespacedName: key.name}); err != nil {
					problems = append(problems, fmt.Sprintf("%s %s: %s", key.kind.Kind, key.name, err))
				}
			}
		}
		after := c.fingerprint()
		if after == before {
			return problems, true
		}
		before = after
	}
	return problems, false
}

func (c *cluster) sorted() []identity {
	var keys []identity
	for key := range c.objects {
		keys = append(keys, key)
	}
	sort.Slice(keys, func(i, j int) bool {
		return keys[i].String() < keys[j].String()
	})
	return keys
}

// get returns an object as its JSON, or nil where it is gone.
func (c *cluster) get(key identity) map[string]any {
	object, err := c.manager.scheme.New(key.kind)
	if err != nil {
		found := &unstructured.Unstructured{}
		found.SetGroupVersionKind(key.kind)
		object = found
	}
	typed := object.(client.Object)
	if err := c.stored.Get(context.Background(), key.name, typed); err != nil {
		return nil
	}
	data, err := json.Marshal(typed)
	if err != nil {
		return nil
	}
	fields := map[string]any{}
	if err := json.Unmarshal(data, &fields); err != nil {
		return nil
	}
	fields["apiVersion"], fields["kind"] = key.kind.GroupVersion().String(), key.kind.Kind
	return fields
}

func (c *cluster) fingerprint() string {
	var all bytes.Buffer
	for _, key := range c.sorted() {
		fields := c.get(key)
		if metadata, ok := fields["metadata"].(map[string]any); ok {
			delete(metadata, "resourceVersion")
		}
		data, _ := json.Marshal(fields)
		all.Write(data)
	}
	return all.String()
}
