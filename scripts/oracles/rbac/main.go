// rbac reads cases, one a line as JSON: {"owner": [rule…], "servant": [rule…]}. Answers for each on a line whether the owner's
// rules cover the servant's, as the API server decides it for who makes a role.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"

	rbac "k8s.io/api/rbac/v1"
	"k8s.io/component-helpers/auth/rbac/validation"
)

// Case is one question.
type Case struct {
	Owner   []rbac.PolicyRule `json:"owner"`
	Servant []rbac.PolicyRule `json:"servant"`
}

func main() {
	in := bufio.NewScanner(os.Stdin)
	in.Buffer(nil, 1<<24)
	out := bufio.NewWriter(os.Stdout)
	defer out.Flush()
	for in.Scan() {
		question := Case{}
		if err := json.Unmarshal(in.Bytes(), &question); err != nil {
			fail(err)
		}
		covers, _ := validation.Covers(question.Owner, question.Servant)
		fmt.Fprintln(out, covers)
	}
	if err := in.Err(); err != nil {
		fail(err)
	}
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}
