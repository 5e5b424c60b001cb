package main

import (
	"context"
	"os"
	"reflect"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/client-go/discovery/cached/memory"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/restmapper"
	"k8s.io/client-go/scale"

	grovev1alpha1 "github.com/ai-dynamo/grove/operator/api/core/v1alpha1"
	istioscheme "istio.io/client-go/pkg/clientset/versioned/scheme"
	gaiev1 "sigs.k8s.io/gateway-api-inference-extension/api/v1"
	lwsscheme "sigs.k8s.io/lws/client-go/clientset/versioned/scheme"
	volcanoscheme "volcano.sh/apis/pkg/client/clientset/versioned/scheme"

	configv1alpha1 "github.com/ai-dynamo/dynamo/deploy/operator/api/config/v1alpha1"
	"github.com/ai-dynamo/dynamo/deploy/operator/api/v1alpha1"
	"github.com/ai-dynamo/dynamo/deploy/operator/api/v1beta1"
	"github.com/ai-dynamo/dynamo/deploy/operator/internal/controller"
	commoncontroller "github.com/ai-dynamo/dynamo/deploy/operator/internal/controller_common"
	"github.com/ai-dynamo/dynamo/deploy/operator/internal/features"
	"github.com/ai-dynamo/dynamo/deploy/operator/internal/rbac"
	"github.com/ai-dynamo/dynamo/deploy/operator/internal/secret"
	"github.com/ai-dynamo/dynamo/deploy/operator/internal/secrets"
	webhooksetup "github.com/ai-dynamo/dynamo/deploy/operator/internal/webhook/setup"
)

const operatorUser = "system:serviceaccount:dynamo-system:dynamo-platform-dynamo-operator-controller-manager"

// moreSchemes holds the types of modules that only some releases need.
var moreSchemes []func(*runtime.Scheme) error

func newScheme() *runtime.Scheme {
	scheme := runtime.NewScheme()
	add := append([]func(*runtime.Scheme) error{
		clientgoscheme.AddToScheme, v1alpha1.AddToScheme, v1beta1.AddToScheme, lwsscheme.AddToScheme,
		volcanoscheme.AddToScheme, grovev1alpha1.AddToScheme, apiextensionsv1.AddToScheme,
		admissionregistrationv1.AddToScheme, istioscheme.AddToScheme, gaiev1.Install,
	}, moreSchemes...)
	for _, to := range add {
		utilruntime.Must(to(scheme))
	}
	return scheme
}

func loadConfig(path, target string) (*configv1alpha1.OperatorConfiguration, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	scheme := runtime.NewScheme()
	if err := configv1alpha1.AddToScheme(scheme); err != nil {
		return nil, err
	}
	config := &configv1alpha1.OperatorConfiguration{}
	codecs := serializer.NewCodecFactory(scheme)
	if err := runtime.DecodeInto(codecs.UniversalDecoder(), text, config); err != nil {
		return nil, err
	}
	grove := target == "grove"
	config.Orchestrators.Grove.Enabled = &grove
	return config, nil
}

// operator is the operator's own controllers by the kind that each reconciles.
type operator struct {
	controllers []controllerOf
	refresh     func(context.Context) error
}

type controllerOf struct {
	kind      string
	reconcile reconciler
}

// setUpOperator does what the operator's own main does between reading its configuration and starting its manager.
func setUpOperator(m *fakeManager, config *configv1alpha1.OperatorConfiguration, version string) (*operator, error) {
	gates, err := features.New(context.Background(), m, config)
	if err != nil {
		return nil, err
	}
	running := &commoncontroller.RuntimeConfig{Gate: gates}
	if err := webhooksetup.Setup(m, webhooksetup.Options{
		Config: config, RuntimeConfig: running, OperatorVersion: version, OperatorPrincipal: operatorUser, Gate: gates,
	}); err != nil {
		return nil, err
	}
	pullSecrets := secrets.NewDockerSecretIndexer(m.client, "")
	built := &operator{refresh: pullSecrets.RefreshIndex}
	for _, entry := range setups(m, config, running, pullSecrets) {
		if err := entry.setUp(); err != nil {
			return nil, err
		}
		last := m.reconcilers[len(m.reconcilers)-1]
		built.controllers = append(built.controllers, controllerOf{entry.kind, last})
	}
	return built, nil
}

type setup struct {
	kind  string
	setUp func() error
}

func setups(
	m *fakeManager, config *configv1alpha1.OperatorConfiguration, running *commoncontroller.RuntimeConfig,
	pullSecrets *secrets.DockerSecretIndexer,
) []setup {
	shared := controller.SetupOptions{Config: config, RuntimeConfig: running}
	roles := rbac.NewManager(m.client)
	graph := controller.DynamoGraphDeploymentSetupOptions{
		SetupOptions: shared, DockerSecretRetriever: pullSecrets, RBACManager: roles,
		SSHKeyManager: secret.NewSSHKeyManager(m.client, config.MPI),
	}
	setIfPresent(&graph, "ScaleClient", func() any { return newScaleClient(m.rest) })
	component := controller.DynamoComponentDeploymentSetupOptions{SetupOptions: shared, DockerSecretRetriever: pullSecrets}
	request := controller.DynamoGraphDeploymentRequestSetupOptions{SetupOptions: shared, RBACManager: roles}
	model := controller.DynamoModelSetupOptions{SetupOptions: shared}
	return []setup{
		{"DynamoGraphDeploymentRequest", func() error { return controller.SetupDynamoGraphDeploymentRequest(m, request) }},
		{"DynamoGraphDeployment", func() error { return controller.SetupDynamoGraphDeployment(m, graph) }},
		{"DynamoComponentDeployment", func() error { return controller.SetupDynamoComponentDeployment(m, component) }},
		{"DynamoGraphDeploymentScalingAdapter", func() error {
			return controller.SetupDynamoGraphDeploymentScalingAdapter(m, shared)
		}},
		{"DynamoModel", func() error { return controller.SetupDynamoModel(m, model) }},
		{"DynamoCheckpoint", func() error { return controller.SetupDynamoCheckpoint(m, shared) }},
	}
}

// setIfPresent sets a field that only some releases have.
func setIfPresent(options any, field string, value func() any) {
	if target := reflect.ValueOf(options).Elem().FieldByName(field); target.IsValid() {
		target.Set(reflect.ValueOf(value()))
	}
}

func newScaleClient(config *rest.Config) scale.ScalesGetter {
	found := memory.NewMemCacheClient(kubernetes.NewForConfigOrDie(config).Discovery())
	mapper := restmapper.NewDeferredDiscoveryRESTMapper(found)
	getter, err := scale.NewForConfig(
		config, mapper, dynamic.LegacyAPIPathResolverFunc, scale.NewDiscoveryScaleKindResolver(found))
	utilruntime.Must(err)
	return getter
}
