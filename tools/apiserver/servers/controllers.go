package main

import (
	"context"
	"errors"

	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/client-go/util/flowcontrol"
	"k8s.io/kubernetes/pkg/controller/clusterroleaggregation"
	"k8s.io/kubernetes/pkg/controller/deployment"
	"k8s.io/kubernetes/pkg/controller/job"
	"k8s.io/kubernetes/pkg/controller/replicaset"
	"k8s.io/kubernetes/pkg/controller/serviceaccount"
)

// runControllers makes service accounts of namespaces, pods of Deployments and Jobs, and the rules of ClusterRoles such
// as admin. It returns on errors only.
// Nothing collects garbage: the tests delete what they make, with its pods.
func runControllers(args []string) error {
	if len(args) != 1 {
		return errors.New("usage: servers controllers KUBECONFIG")
	}
	config, err := clientcmd.BuildConfigFromFlags("", args[0])
	if err != nil {
		return err
	}
	config.RateLimiter = flowcontrol.NewFakeAlwaysRateLimiter()
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return err
	}
	ctx := context.Background()
	factory := informers.NewSharedInformerFactory(client, 0)
	core, apps := factory.Core().V1(), factory.Apps().V1()

	accounts, err := serviceaccount.NewServiceAccountsController(
		core.ServiceAccounts(), core.Namespaces(), client, serviceaccount.DefaultServiceAccountsControllerOptions())
	if err != nil {
		return err
	}
	deployments, err := deployment.NewDeploymentController(
		ctx, apps.Deployments(), apps.ReplicaSets(), core.Pods(), client)
	if err != nil {
		return err
	}
	jobs, err := job.NewController(ctx, core.Pods(), factory.Batch().V1().Jobs(), client)
	if err != nil {
		return err
	}
	replicaSets := replicaset.NewReplicaSetController(
		ctx, apps.ReplicaSets(), core.Pods(), client, replicaset.BurstReplicas)

	roles := clusterroleaggregation.NewClusterRoleAggregation(factory.Rbac().V1().ClusterRoles(), client.RbacV1())

	go accounts.Run(ctx, 1)
	go roles.Run(ctx, 1)
	go deployments.Run(ctx, 2)
	go replicaSets.Run(ctx, 2)
	go jobs.Run(ctx, 1)
	factory.Start(ctx.Done())
	select {}
}
