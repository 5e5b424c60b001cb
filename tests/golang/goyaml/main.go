// Marshals JSON values, one a line, as `sigs.k8s.io/yaml` does. Each answer is one line: the text as a JSON string.
package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"os"

	"sigs.k8s.io/yaml"
)

func main() {
	in := bufio.NewScanner(os.Stdin)
	in.Buffer(make([]byte, 1<<20), 1<<26)
	out := bufio.NewWriter(os.Stdout)
	defer out.Flush()
	answers := json.NewEncoder(out)
	for in.Scan() {
		decoder := json.NewDecoder(bytes.NewReader(in.Bytes()))
		decoder.UseNumber()
		var value any
		if err := decoder.Decode(&value); err != nil {
			panic(err)
		}
		text, err := yaml.Marshal(value)
		if err != nil {
			text = []byte("error: " + err.Error())
		}
		if err := answers.Encode(string(text)); err != nil {
			panic(err)
		}
	}
}
