module github.com/ai-dynamo/snapshot/api

go 1.24

require k8s.io/apimachinery v0.36.2
