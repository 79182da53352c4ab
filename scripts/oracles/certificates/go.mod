module ingress-guard/certificates

go 1.25.0
