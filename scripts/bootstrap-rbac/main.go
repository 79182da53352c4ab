// bootstrap-rbac answers which roles and bindings the API server of one release of Kubernetes makes for itself: with the
// feature gates as they are released, with all of them on, and with all of them off. One JSON value on stdout.
//
// scripts/bootstrap-rbac.ts builds it against each minor release.
package main

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"

	rbac "k8s.io/api/rbac/v1"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	"k8s.io/component-base/featuregate"
	_ "k8s.io/kubernetes/pkg/features"
	"k8s.io/kubernetes/plugin/pkg/auth/authorizer/rbac/bootstrappolicy"
)

// Objects are all that an API server makes, by the lists that it makes them from.
type Objects struct {
	ClusterRoles        []rbac.ClusterRole
	Roles               map[string][]rbac.Role
	ClusterRoleBindings []rbac.ClusterRoleBinding
	RoleBindings        map[string][]rbac.RoleBinding
}

func main() {
	gates := utilfeature.DefaultMutableFeatureGate
	released := defaultsOf(gates)
	answer := map[string]Objects{"released": objects()}
	for word, value := range map[string]bool{"on": true, "off": false} {
		set(gates, released, func(bool) bool { return value })
		answer[word] = objects()
		set(gates, released, func(was bool) bool { return was })
	}
	if err := json.NewEncoder(os.Stdout).Encode(answer); err != nil {
		fail(err)
	}
}

// defaultsOf answers the gates that can be set. Before Kubernetes 1.25 they are known by a text for people alone, which
// leaves out those that are generally available.
func defaultsOf(gates featuregate.MutableFeatureGate) map[string]bool {
	defaults := map[string]bool{}
	if listing, ok := gates.(interface {
		GetAll() map[featuregate.Feature]featuregate.FeatureSpec
	}); ok {
		for name, spec := range listing.GetAll() {
			if !spec.LockToDefault {
				defaults[string(name)] = spec.Default
			}
		}
	} else {
		for _, text := range gates.KnownFeatures() {
			defaults[strings.SplitN(text, "=", 2)[0]] = strings.Contains(text, "default=true")
		}
	}
	// They are no features: they set others.
	delete(defaults, "AllAlpha")
	delete(defaults, "AllBeta")
	return defaults
}

func set(gates featuregate.MutableFeatureGate, released map[string]bool, to func(bool) bool) {
	values := map[string]bool{}
	for name, was := range released {
		values[name] = to(was)
	}
	if err := gates.SetFromMap(values); err != nil {
		fail(err)
	}
}

func objects() Objects {
	return Objects{
		ClusterRoles:        append(bootstrappolicy.ClusterRoles(), bootstrappolicy.ControllerRoles()...),
		Roles:               bootstrappolicy.NamespaceRoles(),
		ClusterRoleBindings: append(bootstrappolicy.ClusterRoleBindings(), bootstrappolicy.ControllerRoleBindings()...),
		RoleBindings:        bootstrappolicy.NamespaceRoleBindings(),
	}
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}
