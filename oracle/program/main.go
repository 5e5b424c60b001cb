// Command oracle answers a folder of inputs with the code of the operator in whose module it is built.
// oracle/record.py builds and runs it; oracle/README.md says how.
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/go-logr/logr"
	ctrl "sigs.k8s.io/controller-runtime"
)

type options struct {
	inputs, out, crds, target, config, version, only string
}

func parseOptions() options {
	var o options
	flag.StringVar(&o.inputs, "inputs", "", "folder of NAME.yaml")
	flag.StringVar(&o.out, "out", "", "folder that gets expected/TARGET/NAME.json and converted/NAME.json")
	flag.StringVar(&o.crds, "crds", "", "folder of the operator's custom resource definitions")
	flag.StringVar(&o.target, "target", "plain", "grove, lws or plain: what the cluster has to run several nodes")
	flag.StringVar(&o.config, "config", "", "operator configuration")
	flag.StringVar(&o.version, "version", "", "operator version that new objects are stamped with, for example 1.4.0")
	flag.StringVar(&o.only, "only", "*", "glob on the names of inputs")
	flag.Parse()
	return o
}

func main() {
	ctrl.SetLogger(logr.Discard())
	if err := run(parseOptions()); err != nil {
		fmt.Fprintln(os.Stderr, "oracle:", err)
		os.Exit(1)
	}
}

func run(o options) error {
	api, err := loadResources(o.crds)
	if err != nil {
		return err
	}
	files, err := filepath.Glob(filepath.Join(o.inputs, o.only+".yaml"))
	if err != nil {
		return err
	}
	if len(files) == 0 {
		return fmt.Errorf("no %s.yaml in %s", o.only, o.inputs)
	}
	for _, file := range files {
		if err := answer(o, api, file); err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
	}
	return nil
}

// answer writes the record of one input, and its conversions.
func answer(o options, api resources, file string) error {
	name := strings.TrimSuffix(filepath.Base(file), ".yaml")
	cluster, err := newCluster(o, api)
	if err != nil {
		return err
	}
	defer cluster.close()
	documents, err := readDocuments(file)
	if err != nil {
		refused := record{Stage: "schema", Errors: []string{err.Error()}, Warnings: []string{}}
		return writeJSON(filepath.Join(o.out, "expected", o.target, name+".json"), refused)
	}
	converted := cluster.server.convertAll(documents)
	if err := writeJSON(filepath.Join(o.out, "converted", name+".json"), converted); err != nil {
		return err
	}
	return writeJSON(filepath.Join(o.out, "expected", o.target, name+".json"), cluster.answer(documents))
}

func writeJSON(path string, value any) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	file, err := os.Create(path)
	if err != nil {
		return err
	}
	encoder := json.NewEncoder(file)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", " ")
	if err := encoder.Encode(value); err != nil {
		return err
	}
	return file.Close()
}
