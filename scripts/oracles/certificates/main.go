// certificates reads cases, one a line as JSON: the TLS entries of an Ingress, the DNS names of the certificate in each Secret, and
// a host. Answers for each on a line: "served", when ingress-nginx serves the host with a certificate that clients accept;
// "rejected", when it serves it with another one of these; "default", when it serves it with its default certificate though an
// entry lists it or no entry has a Secret; "unserved", when the Secrets of the entries hold no certificate for it.
//
// The choice is that of extractTLSSecretName in ingress-nginx's internal/ingress/controller/controller.go, in our own words: its
// module cannot be imported. Whether a certificate is for a host, crypto/x509 decides, as there.
package main

import (
	"bufio"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/asn1"
	"encoding/json"
	"fmt"
	"os"
	"strings"
)

// Entry is one of spec.tls.
type Entry struct {
	Hosts      []string `json:"hosts"`
	SecretName string   `json:"secretName"`
}

// Case is one question.
type Case struct {
	TLS          []Entry             `json:"tls"`
	Certificates map[string][]string `json:"certificates"`
	Host         string              `json:"host"`
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
		fmt.Fprintln(out, answer(question))
	}
	if err := in.Err(); err != nil {
		fail(err)
	}
}

func answer(question Case) string {
	for _, entry := range question.TLS {
		for _, host := range entry.Hosts {
			if !strings.EqualFold(host, question.Host) {
				continue
			}
			if entry.SecretName == "" {
				return "default"
			}
			if isFor(question.Certificates[entry.SecretName], question.Host) {
				return "served"
			}
			return "rejected"
		}
	}
	result := "default"
	for _, entry := range question.TLS {
		if entry.SecretName == "" {
			continue
		}
		if isFor(question.Certificates[entry.SecretName], question.Host) {
			return "served"
		}
		result = "unserved"
	}
	return result
}

func isFor(names []string, host string) bool {
	certificate := x509.Certificate{
		DNSNames: names,
		// The subject alternative names: without the extension, crypto/x509 looks at nothing.
		Extensions: []pkix.Extension{{Id: asn1.ObjectIdentifier{2, 5, 29, 17}}},
	}
	return certificate.VerifyHostname(host) == nil
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}
