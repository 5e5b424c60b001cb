// Runs the real server of config management plugins and asks it, as the repo-server does.
// Arguments: the folder of plugin.yaml, the repository, the folder of the Application in it, and variables NAME=VALUE.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/argoproj/argo-cd/v3/cmd/argocd-cmp-server/commands"
	"github.com/argoproj/argo-cd/v3/cmpserver/apiclient"
	"github.com/argoproj/argo-cd/v3/util/cmp"
)

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func main() {
	config, repository, folder, variables := os.Args[1], os.Args[2], os.Args[3], os.Args[4:]
	sockets, err := os.MkdirTemp("", "cmp")
	check(err)
	defer os.RemoveAll(sockets)
	check(os.Setenv("ARGOCD_PLUGINSOCKFILEPATH", sockets))
	server := commands.NewCommand()
	server.SetArgs([]string{"--config-dir-path", config, "--loglevel", "warn"})
	go func() { check(server.Execute()) }()

	socket := filepath.Join(sockets, "dynamoc.sock")
	for range 300 {
		if _, err := os.Stat(socket); err == nil {
			break
		}
		time.Sleep(100 * time.Millisecond)
	}
	connection, client, err := apiclient.NewConfigManagementPluginClientSet(socket).NewConfigManagementPluginClient()
	check(err)
	defer connection.Close()
	limited, cancel := context.WithTimeout(context.Background(), 60*time.Second)
	defer cancel()

	application := filepath.Join(repository, folder)
	match, err := client.MatchRepository(limited)
	check(err)
	check(cmp.SendRepoStream(limited, application, repository, match, variables, nil))
	matched, err := match.CloseAndRecv()
	check(err)
	fmt.Printf("matches: %t\n", matched.GetIsSupported())

	generate, err := client.GenerateManifest(limited)
	check(err)
	check(cmp.SendRepoStream(limited, application, repository, generate, variables, nil))
	made, err := generate.CloseAndRecv()
	check(err)
	printed, err := json.Marshal(made.GetManifests())
	check(err)
	fmt.Println(string(printed))
}
