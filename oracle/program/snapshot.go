//go:build snapshot

package main

import "github.com/ai-dynamo/snapshot/api/v1alpha1"

func init() { moreSchemes = append(moreSchemes, v1alpha1.AddToScheme) }
