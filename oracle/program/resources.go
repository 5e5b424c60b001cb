package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	structuralschema "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/defaulting"
	schemaobjectmeta "k8s.io/apiextensions-apiserver/pkg/apiserver/schema/objectmeta"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/pruning"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/validation"
	"k8s.io/apiextensions-apiserver/pkg/crdserverscheme"
	"k8s.io/apiextensions-apiserver/pkg/registry/customresource"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"
	genericregistry "k8s.io/apiserver/pkg/endpoints/request"
	"sigs.k8s.io/yaml"
)

type runtimeObject = runtime.Object

// strategy is what the API server's registry does with a custom resource.
type strategy interface {
	PrepareForCreate(ctx context.Context, object runtime.Object)
	Validate(ctx context.Context, object runtime.Object) field.ErrorList
}

// version is one served version of a custom resource, with the API server's own code for its schema and rules.
type version struct {
	name, deprecation string
	schema            *structuralschema.Structural
	withRules         strategy
	withoutRules      strategy
}

// resource is a kind that a custom resource definition describes.
type resource struct {
	kind       schema.GroupKind
	plural     string
	namespaced bool
	storage    string
	versions   map[string]version
}

type resources map[schema.GroupKind]*resource

func loadResources(folder string) (resources, error) {
	files, err := filepath.Glob(filepath.Join(folder, "*.yaml"))
	if err != nil {
		return nil, err
	}
	if len(files) == 0 {
		return nil, fmt.Errorf("no custom resource definitions in %s", folder)
	}
	found := resources{}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		definition := &apiextensionsv1.CustomResourceDefinition{}
		if err := yaml.Unmarshal(text, definition); err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		if found[groupKind(definition)], err = newResource(definition); err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
	}
	return found, nil
}

func groupKind(definition *apiextensionsv1.CustomResourceDefinition) schema.GroupKind {
	return schema.GroupKind{Group: definition.Spec.Group, Kind: definition.Spec.Names.Kind}
}

func newResource(definition *apiextensionsv1.CustomResourceDefinition) (*resource, error) {
	result := &resource{
		kind:       groupKind(definition),
		plural:     definition.Spec.Names.Plural,
		namespaced: definition.Spec.Scope == apiextensionsv1.NamespaceScoped,
		versions:   map[string]version{},
	}
	apiextensionsv1.SetDefaults_CustomResourceDefinition(definition)
	apiextensionsv1.SetDefaults_CustomResourceDefinitionSpec(&definition.Spec)
	for _, served := range definition.Spec.Versions {
		built, err := newVersion(result, served)
		if err != nil {
			return nil, fmt.Errorf("%s %s: %w", result.kind, served.Name, err)
		}
		result.versions[served.Name] = built
		if served.Storage {
			result.storage = served.Name
		}
	}
	return result, nil
}

func newVersion(owner *resource, served apiextensionsv1.CustomResourceDefinitionVersion) (version, error) {
	internal := &apiextensions.CustomResourceValidation{}
	err := apiextensionsv1.Convert_v1_CustomResourceValidation_To_apiextensions_CustomResourceValidation(
		served.Schema, internal, nil)
	if err != nil {
		return version{}, err
	}
	structural, err := structuralschema.NewStructural(internal.OpenAPIV3Schema)
	if err != nil {
		return version{}, err
	}
	if err := defaulting.PruneDefaults(structural); err != nil {
		return version{}, err
	}
	validator, _, err := validation.NewSchemaValidator(internal.OpenAPIV3Schema)
	if err != nil {
		return version{}, err
	}
	kind := owner.kind.WithVersion(served.Name)
	build := func(schema *structuralschema.Structural) strategy {
		return customresource.NewStrategy(crdserverscheme.NewUnstructuredObjectTyper(), owner.namespaced, kind,
			validator, nil, schema, &apiextensions.CustomResourceSubresourceStatus{}, nil, nil)
	}
	return version{
		name:         served.Name,
		deprecation:  deprecation(owner, served),
		schema:       structural,
		withRules:    build(structural),
		withoutRules: build(withoutRules(structural)),
	}, nil
}

func deprecation(owner *resource, served apiextensionsv1.CustomResourceDefinitionVersion) string {
	if !served.Deprecated {
		return ""
	}
	if served.DeprecationWarning != nil {
		return *served.DeprecationWarning
	}
	return fmt.Sprintf("%s/%s %s is deprecated", owner.kind.Group, served.Name, owner.kind.Kind)
}

// withoutRules leaves the CEL rules out, so that their refusals can be told from those of the schema.
func withoutRules(schema *structuralschema.Structural) *structuralschema.Structural {
	plain := schema.DeepCopy()
	visitor := structuralschema.Visitor{Structural: func(node *structuralschema.Structural) bool {
		had := len(node.XValidations) > 0
		node.XValidations = nil
		return had
	}}
	visitor.Visit(plain)
	return plain
}

// decode does what the API server does with the text of a request: defaults, then prunes.
// It returns the paths of fields that nobody knows.
func (v version) decode(object *unstructured.Unstructured) ([]string, error) {
	defaulting.Default(object.Object, v.schema)
	metadata, found, unknown, err := schemaobjectmeta.GetObjectMetaWithOptions(object.Object,
		schemaobjectmeta.ObjectMetaOptions{ReturnUnknownFieldPaths: true})
	if err != nil {
		return nil, err
	}
	apiVersion, kind := object.GetAPIVersion(), object.GetKind()
	unknown = append(unknown, pruning.PruneWithOptions(object.Object, v.schema, true,
		structuralschema.UnknownFieldPathOptions{TrackUnknownFieldPaths: true})...)
	defaulting.PruneNonNullableNullsWithoutDefaults(object.Object, v.schema)
	problem, paths := schemaobjectmeta.CoerceWithOptions(nil, object.Object, v.schema, false,
		schemaobjectmeta.CoerceOptions{ReturnUnknownFieldPaths: true})
	if problem != nil {
		return nil, problem
	}
	object.SetAPIVersion(apiVersion)
	object.SetKind(kind)
	if found {
		err = schemaobjectmeta.SetObjectMeta(object.Object, metadata)
	}
	return append(unknown, paths...), err
}

// validate judges an object as a create request, and tells whether the schema or a CEL rule refuses it.
func (v version) validate(object *unstructured.Unstructured) (string, field.ErrorList) {
	ctx := genericregistry.WithNamespace(context.Background(), object.GetNamespace())
	if problems := v.withRules.Validate(ctx, object); len(problems) > 0 {
		if len(v.withoutRules.Validate(ctx, object)) > 0 {
			return "schema", problems
		}
		return "cel", problems
	}
	return "", nil
}
