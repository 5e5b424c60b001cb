package main

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// servedAPIs is what a cluster of each target has beside Kubernetes and the operator's own kinds.
var servedAPIs = map[string][]string{
	"grove": {
		"grove.io/v1alpha1/podcliquesets/PodCliqueSet", "grove.io/v1alpha1/podcliques/PodClique",
		"grove.io/v1alpha1/podcliquescalinggroups/PodCliqueScalingGroup",
		"leaderworkerset.x-k8s.io/v1/leaderworkersets/LeaderWorkerSet", "scheduling.volcano.sh/v1beta1/podgroups/PodGroup",
	},
	"lws": {
		"leaderworkerset.x-k8s.io/v1/leaderworkersets/LeaderWorkerSet", "scheduling.volcano.sh/v1beta1/podgroups/PodGroup",
	},
	"plain": {},
}

var servedEverywhere = []string{
	"resource.k8s.io/v1/resourceclaims/ResourceClaim",
	"inference.networking.k8s.io/v1/inferencepools/InferencePool",
	"scheduling.run.ai/v2/queues/Queue",
	"networking.istio.io/v1beta1/destinationrules/DestinationRule",
	"nvidia.com/v1alpha1/podsnapshots/PodSnapshot",
}

// servedAPI is a resource of the cluster and its kind.
type servedAPI struct {
	schema.GroupVersionResource
	kind string
}

// discovery answers what the operator asks over HTTP instead of by its client: which APIs the cluster
// serves, and single objects.
type discovery struct {
	served []servedAPI
	reader client.Reader
}

func newDiscovery(target string, reader client.Reader) *httptest.Server {
	result := &discovery{reader: reader}
	for _, api := range append(append([]string{}, servedEverywhere...), servedAPIs[target]...) {
		part := strings.Split(api, "/")
		name := schema.GroupVersionResource{Group: part[0], Version: part[1], Resource: part[2]}
		result.served = append(result.served, servedAPI{name, part[3]})
	}
	return httptest.NewServer(result)
}

// ServeHTTP implements http.Handler.
func (d *discovery) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	part := strings.Split(strings.Trim(r.URL.Path, "/"), "/")
	var answer any
	switch {
	case part[0] == "api" && len(part) == 1:
		answer = metav1.APIVersions{Versions: []string{"v1"}}
	case part[0] == "apis" && len(part) == 1:
		answer = d.groups()
	case part[0] == "apis" && len(part) == 3:
		answer = d.list(schema.GroupVersion{Group: part[1], Version: part[2]})
	case part[0] == "apis":
		answer = d.object(r, part)
	}
	if answer == nil {
		w.WriteHeader(http.StatusNotFound)
		answer = metav1.Status{
			TypeMeta: metav1.TypeMeta{Kind: "Status", APIVersion: "v1"}, Status: metav1.StatusFailure,
			Reason: metav1.StatusReasonNotFound, Code: http.StatusNotFound, Message: "not found",
		}
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(answer)
}

func (d *discovery) groups() metav1.APIGroupList {
	list := metav1.APIGroupList{TypeMeta: metav1.TypeMeta{Kind: "APIGroupList", APIVersion: "v1"}}
	seen := map[string]bool{}
	for _, api := range d.served {
		if seen[api.Group] {
			continue
		}
		seen[api.Group] = true
		version := metav1.GroupVersionForDiscovery{GroupVersion: api.GroupVersion().String(), Version: api.Version}
		list.Groups = append(list.Groups, metav1.APIGroup{
			Name: api.Group, Versions: []metav1.GroupVersionForDiscovery{version}, PreferredVersion: version,
		})
	}
	return list
}

func (d *discovery) list(wanted schema.GroupVersion) any {
	list := metav1.APIResourceList{
		TypeMeta: metav1.TypeMeta{Kind: "APIResourceList", APIVersion: "v1"}, GroupVersion: wanted.String(),
	}
	for _, api := range d.served {
		if api.GroupVersion() == wanted {
			list.APIResources = append(list.APIResources,
				metav1.APIResource{Name: api.Resource, Kind: api.kind, Namespaced: true},
				metav1.APIResource{
					Name: api.Resource + "/scale", Group: "autoscaling", Version: "v1", Kind: "Scale", Namespaced: true,
				})
		}
	}
	if len(list.APIResources) == 0 {
		return nil
	}
	return list
}

// object looks /apis/GROUP/VERSION[/namespaces/NAMESPACE]/RESOURCE/NAME up among the objects of the cluster.
func (d *discovery) object(r *http.Request, part []string) any {
	key := client.ObjectKey{}
	rest := part[3:]
	if len(rest) == 4 && rest[0] == "namespaces" {
		key.Namespace, rest = rest[1], rest[2:]
	}
	if len(rest) != 2 {
		return nil
	}
	key.Name = rest[1]
	found := &unstructured.Unstructured{}
	found.SetGroupVersionKind(schema.GroupVersionKind{Group: part[1], Version: part[2], Kind: d.kind(part[1], rest[0])})
	if err := d.reader.Get(r.Context(), key, found); err != nil {
		return nil
	}
	return found.Object
}

func (d *discovery) kind(group, name string) string {
	for _, api := range d.served {
		if api.Group == group && api.Resource == name {
			return api.kind
		}
	}
	return "Unknown"
}
