package main

import (
	"errors"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// record is the answer to one input, in the layout of the recorded corpora.
type record struct {
	Admitted bool             `json:"admitted"`
	Stage    string           `json:"stage,omitempty"`
	Errors   []string         `json:"errors,omitempty"`
	Warnings []string         `json:"warnings"`
	Objects  []map[string]any `json:"objects,omitempty"`
	Inputs   []map[string]any `json:"inputs,omitempty"`
	// Restless says that the objects still change when the record is made: another run may record another state.
	Restless bool `json:"restless,omitempty"`
}

// answer applies the documents of an input to the empty cluster, lets the operator work, and records what is there.
// What isn't the operator's own kind exists before.
func (c *cluster) answer(documents []*unstructured.Unstructured) record {
	result := record{Warnings: []string{}}
	for _, own := range []bool{false, true} {
		for _, document := range documents {
			if (c.server.resourceOf(document) != nil) != own {
				continue
			}
			warnings, err := c.apply(document)
			result.Warnings = append(result.Warnings, warnings...)
			if err != nil {
				return result.refused(err)
			}
		}
	}
	problems, rests := c.settle()
	if len(problems) > 0 {
		return result.refused(&refusal{"reconcile", problems})
	}
	result.Restless = !rests
	result.Admitted = true
	c.collect(&result)
	return result
}

func (r record) refused(err error) record {
	r.Stage, r.Errors = "schema", []string{err.Error()}
	var refused *refusal
	if errors.As(err, &refused) {
		r.Stage, r.Errors = refused.stage, refused.problems
	}
	return r
}

func (c *cluster) collect(result *record) {
	result.Objects, result.Inputs = []map[string]any{}, []map[string]any{}
	for _, key := range c.sorted() {
		fields := c.get(key)
		switch {
		case fields == nil:
		case c.given[key] && key.kind.Kind == "ClusterRole":
		case c.given[key]:
			result.Inputs = append(result.Inputs, reference(key))
		default:
			result.Objects = append(result.Objects, clean(fields))
		}
	}
}

func reference(key identity) map[string]any {
	metadata := map[string]any{"name": key.name.Name}
	if key.name.Namespace != "" {
		metadata["namespace"] = key.name.Namespace
	}
	return map[string]any{"apiVersion": key.kind.GroupVersion().String(), "kind": key.kind.Kind, "metadata": metadata}
}

var bookkeeping = []string{"nvidia.com/last-applied-hash", "nvidia.com/last-applied-generation"}

var serverFields = []string{
	"uid", "resourceVersion", "generation", "creationTimestamp", "managedFields", "ownerReferences", "finalizers",
}

// clean leaves out what a cluster or the operator's bookkeeping adds, key material, and the operator's programs.
func clean(object map[string]any) map[string]any {
	delete(object, "status")
	metadata, _ := object["metadata"].(map[string]any)
	for _, field := range serverFields {
		delete(metadata, field)
	}
	if annotations, ok := metadata["annotations"].(map[string]any); ok {
		for _, name := range bookkeeping {
			delete(annotations, name)
		}
		if len(annotations) == 0 {
			delete(metadata, "annotations")
		}
	}
	switch object["kind"] {
	case "LeaderWorkerSet":
		dropUnsetStrategy(object)
	case "Secret":
		replaceAll(object["data"], "<generated>")
	case "ConfigMap":
		replacePrograms(object["data"])
	}
	return withoutNulls(object).(map[string]any)
}

// dropUnsetStrategy leaves out a struct that Go prints although nobody sets it.
func dropUnsetStrategy(object map[string]any) {
	spec, _ := object["spec"].(map[string]any)
	if strategy, ok := spec["rolloutStrategy"].(map[string]any); ok && strategy["type"] == "" {
		delete(spec, "rolloutStrategy")
	}
}

func replaceAll(data any, by string) {
	if values, ok := data.(map[string]any); ok {
		for key := range values {
			values[key] = by
		}
	}
}

// replacePrograms leaves out programs of the operator's own: a script is its code, not its behaviour.
func replacePrograms(data any) {
	values, _ := data.(map[string]any)
	for key := range values {
		if strings.HasSuffix(key, ".py") || strings.HasSuffix(key, ".sh") {
			values[key] = "<program>"
		}
	}
}

func withoutNulls(value any) any {
	switch node := value.(type) {
	case map[string]any:
		for key, inner := range node {
			if inner == nil {
				delete(node, key)
				continue
			}
			node[key] = withoutNulls(inner)
		}
	case []any:
		for index, inner := range node {
			node[index] = withoutNulls(inner)
		}
	}
	return value
}
