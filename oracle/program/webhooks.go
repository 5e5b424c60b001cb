package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"

	jsonpatch "github.com/evanphx/json-patch/v5"
	admissionv1 "k8s.io/api/admission/v1"
	authenticationv1 "k8s.io/api/authentication/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/webhook"
)

// webhookServer keeps the handlers that the operator registers, and calls them without a network.
type webhookServer struct {
	webhook.Server
	handlers map[string]http.Handler
	order    []string
}

func newWebhookServer() *webhookServer {
	return &webhookServer{Server: webhook.NewServer(webhook.Options{}), handlers: map[string]http.Handler{}}
}

// Register implements webhook.Server.
func (s *webhookServer) Register(path string, hook http.Handler) {
	if _, again := s.handlers[path]; !again {
		s.order = append(s.order, path)
	}
	s.handlers[path] = hook
}

// WebhookMux implements webhook.Server.
func (s *webhookServer) WebhookMux() *http.ServeMux { return nil }

func (s *webhookServer) post(path string, request, response any) error {
	body, err := json.Marshal(request)
	if err != nil {
		return err
	}
	call := httptest.NewRequest(http.MethodPost, path, bytes.NewReader(body))
	call.Header.Set("Content-Type", "application/json")
	answer := httptest.NewRecorder()
	s.handlers[path].ServeHTTP(answer, call)
	if answer.Code != http.StatusOK {
		return fmt.Errorf("%s answers %d: %s", path, answer.Code, answer.Body.String())
	}
	return json.Unmarshal(answer.Body.Bytes(), response)
}

// convert has the operator's conversion webhook turn an object into another API version.
func (s *webhookServer) convert(object *unstructured.Unstructured, to string) (*unstructured.Unstructured, error) {
	data, err := object.MarshalJSON()
	if err != nil {
		return nil, err
	}
	review := &apiextensionsv1.ConversionReview{
		TypeMeta: metav1.TypeMeta{APIVersion: "apiextensions.k8s.io/v1", Kind: "ConversionReview"},
		Request: &apiextensionsv1.ConversionRequest{
			UID:               "oracle",
			DesiredAPIVersion: to,
			Objects:           []runtime.RawExtension{{Raw: data}},
		},
	}
	answer := &apiextensionsv1.ConversionReview{}
	if err := s.post("/convert", review, answer); err != nil {
		return nil, err
	}
	if answer.Response.Result.Status != metav1.StatusSuccess {
		return nil, errors.New(answer.Response.Result.Message)
	}
	return parseObject(answer.Response.ConvertedObjects[0].Raw)
}

// hook is a registered admission webhook: the path names the verb, the version and the resource.
type hook struct {
	path, version string
}

// hooks returns the webhooks of a resource, "mutate" or "validate".
func (s *webhookServer) hooks(verb string, target *resource) []hook {
	var found []hook
	for _, path := range s.order {
		words := strings.FieldsFunc(path, func(letter rune) bool { return letter == '/' || letter == '-' })
		last := words[len(words)-1]
		if words[0] != verb || (last != target.plural && last != strings.ToLower(target.kind.Kind)) {
			continue
		}
		found = append(found, hook{path: path, version: words[len(words)-2]})
	}
	return found
}

// review asks one admission webhook about the creation of an object.
// The answer holds the object as the webhook patches it, or why the webhook refuses it.
func (s *webhookServer) review(
	path string, target *resource, object *unstructured.Unstructured, user string,
) (*unstructured.Unstructured, []string, error) {
	data, err := object.MarshalJSON()
	if err != nil {
		return nil, nil, err
	}
	answer := &admissionv1.AdmissionReview{}
	if err := s.post(path, admissionReview(target, object, data, user), answer); err != nil {
		return nil, nil, err
	}
	response := answer.Response
	if !response.Allowed {
		return nil, response.Warnings, errors.New(response.Result.Message)
	}
	if len(response.Patch) == 0 {
		return object, response.Warnings, nil
	}
	patch, err := jsonpatch.DecodePatch(response.Patch)
	if err != nil {
		return nil, nil, err
	}
	if data, err = patch.Apply(data); err != nil {
		return nil, nil, err
	}
	patched, err := parseObject(data)
	return patched, response.Warnings, err
}

func admissionReview(
	target *resource, object *unstructured.Unstructured, data []byte, user string,
) *admissionv1.AdmissionReview {
	gvk := object.GroupVersionKind()
	return &admissionv1.AdmissionReview{
		TypeMeta: metav1.TypeMeta{APIVersion: "admission.k8s.io/v1", Kind: "AdmissionReview"},
		Request: &admissionv1.AdmissionRequest{
			UID:       "oracle",
			Kind:      metav1.GroupVersionKind(gvk),
			Resource:  metav1.GroupVersionResource{Group: gvk.Group, Version: gvk.Version, Resource: target.plural},
			Name:      object.GetName(),
			Namespace: object.GetNamespace(),
			Operation: admissionv1.Create,
			UserInfo:  authenticationv1.UserInfo{Username: user, Groups: []string{"system:authenticated"}},
			Object:    runtime.RawExtension{Raw: data},
		},
	}
}
