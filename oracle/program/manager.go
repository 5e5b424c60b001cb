package main

import (
	"context"
	"net/http"

	"github.com/go-logr/logr"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/events"
	oldevents "k8s.io/client-go/tools/record"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/config"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
	"sigs.k8s.io/controller-runtime/pkg/webhook"
	"sigs.k8s.io/controller-runtime/pkg/webhook/conversion"
)

// lateClient stands in for the manager's client until all indexes are known; then it gets the fake one.
type lateClient struct{ client.Client }

// fieldIndex is what a controller wants to look objects up by.
type fieldIndex struct {
	object  client.Object
	field   string
	extract client.IndexerFunc
}

// fakeManager collects what the operator registers: controllers, indexes and webhooks. It starts nothing.
// A method that isn't here panics, so that a newer operator that needs it is noticed.
type fakeManager struct {
	manager.Manager
	scheme      *runtime.Scheme
	mapper      meta.RESTMapper
	client      *lateClient
	rest        *rest.Config
	webhooks    *webhookServer
	converters  conversion.Registry
	indexes     []fieldIndex
	reconcilers []reconcile.Reconciler
}

func (m *fakeManager) GetScheme() *runtime.Scheme                         { return m.scheme }
func (m *fakeManager) GetRESTMapper() meta.RESTMapper                     { return m.mapper }
func (m *fakeManager) GetClient() client.Client                           { return m.client }
func (m *fakeManager) GetAPIReader() client.Reader                        { return m.client }
func (m *fakeManager) GetConfig() *rest.Config                            { return m.rest }
func (m *fakeManager) GetHTTPClient() *http.Client                        { return http.DefaultClient }
func (m *fakeManager) GetCache() cache.Cache                              { return nil }
func (m *fakeManager) GetFieldIndexer() client.FieldIndexer               { return m }
func (m *fakeManager) GetLogger() logr.Logger                             { return logr.Discard() }
func (m *fakeManager) GetWebhookServer() webhook.Server                   { return m.webhooks }
func (m *fakeManager) GetConverterRegistry() conversion.Registry          { return m.converters }
func (m *fakeManager) GetEventRecorder(string) events.EventRecorder       { return silence{} }
func (m *fakeManager) GetEventRecorderFor(string) oldevents.EventRecorder { return oldSilence{} }

// GetControllerOptions lets controllers of one name be built again for each input.
func (m *fakeManager) GetControllerOptions() config.Controller {
	return config.Controller{SkipNameValidation: ptr.To(true)}
}

// IndexField implements client.FieldIndexer.
func (m *fakeManager) IndexField(
	_ context.Context, object client.Object, field string, extract client.IndexerFunc,
) error {
	m.indexes = append(m.indexes, fieldIndex{object, field, extract})
	return nil
}

// Add keeps controllers; other things that a manager would run are left out.
func (m *fakeManager) Add(runnable manager.Runnable) error {
	if reconciler, ok := runnable.(reconcile.Reconciler); ok {
		m.reconcilers = append(m.reconcilers, reconciler)
	}
	return nil
}

type silence struct{}

func (silence) Eventf(runtime.Object, runtime.Object, string, string, string, string, ...any) {}

type oldSilence struct{}

func (oldSilence) Event(runtime.Object, string, string, string)          {}
func (oldSilence) Eventf(runtime.Object, string, string, string, ...any) {}
func (oldSilence) AnnotatedEventf(runtime.Object, map[string]string, string, string, string, ...any) {
}
