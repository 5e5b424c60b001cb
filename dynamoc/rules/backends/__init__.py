"""One module a backend, each with `update_container(pod)` and `update_pod(pod)`."""
