package main

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"os"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	utilyaml "k8s.io/apimachinery/pkg/util/yaml"
	"sigs.k8s.io/yaml"
)

// readDocuments reads a file as kubectl does: document by document, line by line, YAML by way of JSON.
func readDocuments(path string) ([]*unstructured.Unstructured, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	reader := utilyaml.NewYAMLReader(bufio.NewReader(file))
	var documents []*unstructured.Unstructured
	for {
		text, err := reader.Read()
		if errors.Is(err, io.EOF) {
			return documents, nil
		}
		if err != nil {
			return nil, err
		}
		found, err := parseDocument(text)
		if err != nil {
			return nil, err
		}
		documents = append(documents, found...)
	}
}

func parseDocument(text []byte) ([]*unstructured.Unstructured, error) {
	data, err := yaml.YAMLToJSON(text)
	if err != nil {
		return nil, err
	}
	if bytes.Equal(bytes.TrimSpace(data), []byte("null")) {
		return nil, nil
	}
	object, err := parseObject(data)
	if err != nil {
		return nil, err
	}
	if !object.IsList() {
		return []*unstructured.Unstructured{object}, nil
	}
	var items []*unstructured.Unstructured
	err = object.EachListItem(func(item runtimeObject) error {
		items = append(items, item.(*unstructured.Unstructured))
		return nil
	})
	return items, err
}

func parseObject(data []byte) (*unstructured.Unstructured, error) {
	object := &unstructured.Unstructured{}
	if err := object.UnmarshalJSON(data); err != nil {
		return nil, err
	}
	return object, nil
}
