"""A graph as charts and repositories write it: without a namespace."""

GRAPH = """\
apiVersion: nvidia.com/v1beta1
kind: DynamoGraphDeployment
metadata: {name: chat}
spec:
  components:
    - name: Frontend
      type: frontend
      podTemplate:
        spec:
          containers: [{name: main, image: "nvcr.io/nvidia/ai-dynamo/vllm-runtime:1.4.0"}]
"""
