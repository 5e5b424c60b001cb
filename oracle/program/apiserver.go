package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/defaulting"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// refusal says at which stage of a request an object is refused, and why.
type refusal struct {
	stage    string
	problems []string
}

// Error implements error.
func (r *refusal) Error() string { return r.stage + ": " + strings.Join(r.problems, "; ") }

func refuse(stage string, problems ...error) *refusal {
	result := &refusal{stage: stage}
	for _, problem := range problems {
		result.problems = append(result.problems, problem.Error())
	}
	return result
}

// apiServer takes create requests for the operator's custom resources, in the steps of a real API server:
// decode, mutating webhooks, schema and CEL rules, validating webhooks, conversion to the stored version.
type apiServer struct {
	resources resources
	webhooks  *webhookServer
}

func (s *apiServer) resourceOf(object *unstructured.Unstructured) *resource {
	return s.resources[object.GroupVersionKind().GroupKind()]
}

// create returns the object as it is stored.
func (s *apiServer) create(
	object *unstructured.Unstructured, user string,
) (*unstructured.Unstructured, []string, error) {
	target := s.resourceOf(object)
	sent, known := target.versions[object.GroupVersionKind().Version]
	if !known {
		unserved := fmt.Errorf("no matches for kind %q in version %q", object.GetKind(), object.GetAPIVersion())
		return nil, nil, refuse("schema", unserved)
	}
	var warnings []string
	if sent.deprecation != "" {
		warnings = append(warnings, sent.deprecation)
	}
	object, more, err := s.admit(target, sent, object.DeepCopy(), user)
	warnings = distinct(append(warnings, more...))
	if err != nil {
		return nil, warnings, err
	}
	stored, err := s.inVersion(target, object, target.storage)
	if err != nil {
		return nil, warnings, refuse("conversion", err)
	}
	return stored, warnings, nil
}

// distinct leaves out repeated warnings, as the API server does.
func distinct(warnings []string) []string {
	var kept []string
	for _, warning := range warnings {
		if !slices.Contains(kept, warning) {
			kept = append(kept, warning)
		}
	}
	return kept
}

func (s *apiServer) admit(
	target *resource, sent version, object *unstructured.Unstructured, user string,
) (*unstructured.Unstructured, []string, error) {
	unknown, err := sent.decode(object)
	if err != nil {
		return nil, nil, refuse("schema", err)
	}
	if len(unknown) > 0 {
		return nil, nil, refuse("unknown-field", unknownFields(unknown)...)
	}
	object, warnings, err := s.mutate(target, object, user)
	if err != nil {
		return nil, warnings, err
	}
	sent.withRules.PrepareForCreate(context.Background(), object)
	if stage, problems := sent.validate(object); len(problems) > 0 {
		return nil, warnings, refuse(stage, fieldErrors(problems)...)
	}
	more, err := s.judge(target, object, user)
	return object, append(warnings, more...), err
}

func unknownFields(paths []string) []error {
	var problems []error
	for _, path := range paths {
		problems = append(problems, fmt.Errorf("unknown field %q", path))
	}
	return problems
}

func fieldErrors(list field.ErrorList) []error {
	var problems []error
	for _, problem := range list {
		problems = append(problems, problem)
	}
	return problems
}

func (s *apiServer) mutate(
	target *resource, object *unstructured.Unstructured, user string,
) (*unstructured.Unstructured, []string, error) {
	var warnings []string
	for _, hook := range s.webhooks.hooks("mutate", target) {
		before, err := s.as(target, object, hook.version)
		if err != nil {
			return nil, warnings, refuse("conversion", err)
		}
		after, more, err := s.webhooks.review(hook.path, target, before, user)
		warnings = append(warnings, more...)
		if err != nil {
			return nil, warnings, refuse("webhook", err)
		}
		if after == before {
			continue
		}
		defaulting.Default(after.Object, target.versions[hook.version].schema)
		if object, err = s.as(target, after, object.GroupVersionKind().Version); err != nil {
			return nil, warnings, refuse("conversion", err)
		}
	}
	return object, warnings, nil
}

func (s *apiServer) judge(target *resource, object *unstructured.Unstructured, user string) ([]string, error) {
	var warnings []string
	for _, hook := range s.webhooks.hooks("validate", target) {
		seen, err := s.as(target, object, hook.version)
		if err != nil {
			return warnings, refuse("conversion", err)
		}
		_, more, err := s.webhooks.review(hook.path, target, seen, user)
		warnings = append(warnings, more...)
		if err != nil {
			return warnings, refuse("webhook", err)
		}
	}
	return warnings, nil
}

// as returns the object in another version; the same object where it already has it.
func (s *apiServer) as(
	target *resource, object *unstructured.Unstructured, version string,
) (*unstructured.Unstructured, error) {
	if object.GroupVersionKind().Version == version {
		return object, nil
	}
	return s.webhooks.convert(object, target.kind.Group+"/"+version)
}

// inVersion converts, prunes and defaults as writing to etcd and reading from it do.
func (s *apiServer) inVersion(
	target *resource, object *unstructured.Unstructured, version string,
) (*unstructured.Unstructured, error) {
	converted, err := s.as(target, object, version)
	if err != nil {
		return nil, err
	}
	converted = converted.DeepCopy()
	_, err = target.versions[version].decode(converted)
	return converted, err
}

// convertAll turns each document into the other version of its kind, where there is one.
func (s *apiServer) convertAll(documents []*unstructured.Unstructured) []any {
	converted := []any{}
	for _, document := range documents {
		target := s.resourceOf(document)
		if target == nil {
			continue
		}
		for name := range target.versions {
			if name == document.GroupVersionKind().Version || len(target.versions) != 2 {
				continue
			}
			result, err := s.as(target, document, name)
			if err != nil {
				converted = append(converted, map[string]string{"error": conversionProblem(err)})
				continue
			}
			converted = append(converted, withoutNulls(result.Object))
		}
	}
	return converted
}

// conversionProblem leaves out what the webhook library puts around the operator's own words.
func conversionProblem(err error) string {
	for inner := errors.Unwrap(err); inner != nil; inner = errors.Unwrap(err) {
		err = inner
	}
	return err.Error()
}
