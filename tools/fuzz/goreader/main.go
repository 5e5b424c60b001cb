// Reads YAML documents as Kubernetes does, and prints them as JSON: one line per document.
// The input is a sequence of texts, each as its length in bytes on a line of its own, and the text.
package main

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"strings"

	"sigs.k8s.io/yaml"
)

func main() {
	in, out := bufio.NewReader(os.Stdin), bufio.NewWriter(os.Stdout)
	defer out.Flush()
	for {
		var size int
		if _, err := fmt.Fscanf(in, "%d\n", &size); err != nil {
			return
		}
		text := make([]byte, size)
		if _, err := io.ReadFull(in, text); err != nil {
			panic(err)
		}
		for _, document := range strings.Split("\n"+string(text), "\n---\n") {
			if strings.TrimSpace(document) == "" {
				continue
			}
			data, err := yaml.YAMLToJSONStrict([]byte(document + "\n"))
			if err != nil {
				fmt.Fprintf(out, "error: %q\n", err.Error())
				continue
			}
			fmt.Fprintf(out, "%s\n", data)
		}
		fmt.Fprintln(out, "end")
	}
}
