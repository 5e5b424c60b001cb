// Servers for tests on loopback: etcd, kube-apiserver, and the controllers that make pods of applied objects.
package main

import (
	"fmt"
	"os"

	"go.etcd.io/etcd/server/v3/etcdmain"
	"k8s.io/component-base/cli"
	_ "k8s.io/component-base/metrics/prometheus/clientgo"
	_ "k8s.io/component-base/metrics/prometheus/version"
	"k8s.io/kubernetes/cmd/kube-apiserver/app"
)

func main() {
	role, rest := "", []string{}
	if len(os.Args) > 1 {
		role, rest = os.Args[1], os.Args[2:]
	}
	// etcd and kube-apiserver read os.Args themselves.
	os.Args = append(os.Args[:1:1], rest...)
	switch role {
	case "etcd":
		etcdmain.Main(os.Args)
	case "apiserver":
		os.Exit(cli.Run(app.NewAPIServerCommand()))
	case "controllers":
		if err := runControllers(rest); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	default:
		fmt.Fprintln(os.Stderr, "usage: servers etcd|apiserver|controllers [FLAG]...")
		os.Exit(2)
	}
}
