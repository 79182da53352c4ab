// ingress reads Ingresses of networking.k8s.io/v1, one a line as JSON, and answers for each on a line the fields for which the
// API server refuses to create it: [] for one that it accepts, ["(decoding)"] for one that it cannot read.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"

	networking "k8s.io/api/networking/v1"
	internal "k8s.io/kubernetes/pkg/apis/networking"
	conversion "k8s.io/kubernetes/pkg/apis/networking/v1"
	"k8s.io/kubernetes/pkg/apis/networking/validation"
)

func main() {
	in := bufio.NewScanner(os.Stdin)
	in.Buffer(nil, 1<<24)
	out := bufio.NewWriter(os.Stdout)
	defer out.Flush()
	encoder := json.NewEncoder(out)
	for in.Scan() {
		if err := encoder.Encode(refused(in.Bytes())); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
	if err := in.Err(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func refused(text []byte) []string {
	written := networking.Ingress{}
	if json.Unmarshal(text, &written) != nil {
		return []string{"(decoding)"}
	}
	ingress := internal.Ingress{}
	if conversion.Convert_v1_Ingress_To_networking_Ingress(&written, &ingress, nil) != nil {
		return []string{"(decoding)"}
	}
	fields := []string{}
	for _, fault := range validation.ValidateIngressCreate(&ingress) {
		fields = append(fields, fault.Field)
	}
	return fields
}
