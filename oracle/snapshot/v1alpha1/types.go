// Package v1alpha1 stands in for the Go types of the snapshot operator, which isn't to be had from the Go module proxy.
// The operator needs them to build. It creates a PodSnapshot only for a pod that runs, so no record ever holds one.
// Field names are those of the custom resource definition podsnapshots.nvidia.com.
package v1alpha1

import (
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
)

// GroupVersion is the API version of a PodSnapshot.
var GroupVersion = schema.GroupVersion{Group: "nvidia.com", Version: "v1alpha1"}

// Condition types of a PodSnapshot.
const (
	PodSnapshotConditionReady  = "Ready"
	PodSnapshotConditionFailed = "Failed"
)

// PodSnapshot asks for the capture of a running pod.
type PodSnapshot struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec   PodSnapshotSpec   `json:"spec,omitempty"`
	Status PodSnapshotStatus `json:"status,omitempty"`
}

// PodSnapshotSpec says what is captured.
type PodSnapshotSpec struct {
	Source PodSnapshotSource `json:"source"`
}

// PodSnapshotSource is the captured workload.
type PodSnapshotSource struct {
	PodRef PodReference `json:"podRef"`
}

// PodReference is a pod in the namespace of the PodSnapshot, and its containers.
type PodReference struct {
	Name       string    `json:"name"`
	UID        types.UID `json:"uid,omitempty"`
	Containers []string  `json:"containers"`
}

// PodSnapshotStatus says how far the capture is.
type PodSnapshotStatus struct {
	BoundPodSnapshotContentName *string            `json:"boundSnapshotContentName,omitempty"`
	Conditions                  []metav1.Condition `json:"conditions,omitempty"`
}

// PodSnapshotList is a list of PodSnapshots.
type PodSnapshotList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []PodSnapshot `json:"items"`
}

// IsPodSnapshotSucceeded reports whether the capture is there.
func IsPodSnapshotSucceeded(snapshot *PodSnapshot) bool {
	return meta.IsStatusConditionTrue(snapshot.Status.Conditions, PodSnapshotConditionReady)
}

// IsPodSnapshotFailed reports whether the capture failed for good.
func IsPodSnapshotFailed(snapshot *PodSnapshot) bool {
	return meta.IsStatusConditionTrue(snapshot.Status.Conditions, PodSnapshotConditionFailed)
}

// AddToScheme registers the types.
func AddToScheme(scheme *runtime.Scheme) error {
	scheme.AddKnownTypes(GroupVersion, &PodSnapshot{}, &PodSnapshotList{})
	metav1.AddToGroupVersion(scheme, GroupVersion)
	return nil
}

// DeepCopyObject implements runtime.Object.
func (in *PodSnapshot) DeepCopyObject() runtime.Object {
	if in == nil {
		return nil
	}
	out := *in
	out.ObjectMeta = *in.ObjectMeta.DeepCopy()
	out.Spec.Source.PodRef.Containers = append([]string(nil), in.Spec.Source.PodRef.Containers...)
	out.Status.Conditions = append([]metav1.Condition(nil), in.Status.Conditions...)
	return &out
}

// DeepCopyObject implements runtime.Object.
func (in *PodSnapshotList) DeepCopyObject() runtime.Object {
	if in == nil {
		return nil
	}
	out := &PodSnapshotList{TypeMeta: in.TypeMeta, ListMeta: *in.ListMeta.DeepCopy()}
	for index := range in.Items {
		out.Items = append(out.Items, *in.Items[index].DeepCopyObject().(*PodSnapshot))
	}
	return out
}
