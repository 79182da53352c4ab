// built-in-fields answers which fields one release of Kubernetes has in the kinds of its own: the form of each Go type, by
// name, and the type of each kind. One JSON value on stdout.
//
// scripts/built-in-fields/kubernetes.ts builds it against each release.
package main

import (
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"

	"k8s.io/client-go/kubernetes/scheme"
)

// Answer has references by name, so that a type which many others have is written once.
type Answer struct {
	Types  map[string]any
	Kinds  map[string]string
	values map[string][]string
}

// Types that have a form of their own in JSON.
var special = map[string]any{
	"k8s.io/apimachinery/pkg/api/resource.Quantity":           "number or text",
	"k8s.io/apimachinery/pkg/apis/meta/v1.Duration":           "text",
	"k8s.io/apimachinery/pkg/apis/meta/v1.FieldsV1":           "anything",
	"k8s.io/apimachinery/pkg/apis/meta/v1.MicroTime":          "text",
	"k8s.io/apimachinery/pkg/apis/meta/v1.Time":               "text",
	"k8s.io/apimachinery/pkg/runtime.RawExtension":            "anything",
	"k8s.io/apimachinery/pkg/util/intstr.IntOrString":         "number or text",
	"k8s.io/apimachinery/pkg/apis/meta/v1.ManagedFieldsEntry": "anything",
}

// The folder with the source of k8s.io/api is the one argument.
func main() {
	answer := Answer{Types: map[string]any{}, Kinds: map[string]string{}, values: valuesIn(os.Args[1])}
	for kind, its := range scheme.Scheme.AllKnownTypes() {
		if kind.Version == "__internal" || its.PkgPath() == "k8s.io/apimachinery/pkg/apis/meta/v1" {
			continue
		}
		answer.Kinds[kind.Kind+" "+kind.GroupVersion().String()] = answer.name(its)
	}
	if err := json.NewEncoder(os.Stdout).Encode(answer); err != nil {
		fail(err)
	}
}

// name adds a struct to the types that are known.
func (answer Answer) name(its reflect.Type) string {
	name := its.PkgPath() + "." + its.Name()
	if _, known := answer.Types[name]; !known {
		keys := map[string]any{}
		answer.Types[name] = map[string]any{"keys": keys}
		answer.add(its, keys)
	}
	return name
}

func (answer Answer) add(its reflect.Type, keys map[string]any) {
	for index := 0; index < its.NumField(); index++ {
		field := its.Field(index)
		tag := strings.Split(field.Tag.Get("json"), ",")
		if tag[0] == "-" {
			continue
		}
		if tag[0] != "" {
			keys[tag[0]] = answer.form(field.Type)
			continue
		}
		inner := field.Type
		if inner.Kind() == reflect.Ptr {
			inner = inner.Elem()
		}
		answer.add(inner, keys)
	}
}

func (answer Answer) form(its reflect.Type) any {
	if known, ok := special[its.PkgPath()+"."+its.Name()]; ok {
		return known
	}
	switch its.Kind() {
	case reflect.Ptr:
		return answer.form(its.Elem())
	case reflect.Struct:
		return map[string]any{"type": answer.name(its)}
	case reflect.Slice:
		if its.Elem().Kind() == reflect.Uint8 {
			return "text"
		}
		return map[string]any{"items": answer.form(its.Elem())}
	case reflect.Map:
		return map[string]any{"entries": answer.form(its.Elem())}
	case reflect.String:
		return answer.text(its)
	case reflect.Bool:
		return "boolean"
	case reflect.Int, reflect.Int32, reflect.Int64, reflect.Uint32, reflect.Uint64, reflect.Float32, reflect.Float64:
		return "number"
	}
	return "anything"
}

func (answer Answer) text(its reflect.Type) any {
	if its.PkgPath() == "" {
		return "text"
	}
	name := its.PkgPath() + "." + its.Name()
	answer.Types[name] = "text"
	if values := answer.values[name]; values != nil {
		answer.Types[name] = map[string]any{"values": values}
	}
	return map[string]any{"type": name}
}

// valuesIn has the values of each type of text that is marked with +enum, in the order of the source.
func valuesIn(folder string) map[string][]string {
	found := map[string][]string{}
	files, err := filepath.Glob(filepath.Join(folder, "*", "*", "types.go"))
	if err != nil || len(files) == 0 {
		fail(fmt.Errorf("%s has no types.go: %v", folder, err))
	}
	for _, file := range files {
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ParseComments)
		if err != nil {
			fail(err)
		}
		relative, _ := filepath.Rel(folder, filepath.Dir(file))
		prefix := "k8s.io/api/" + filepath.ToSlash(relative) + "."
		enums := map[string]bool{}
		for _, declaration := range parsed.Decls {
			group, _ := declaration.(*ast.GenDecl)
			if group != nil && group.Tok == token.TYPE {
				for _, spec := range group.Specs {
					one := spec.(*ast.TypeSpec)
					if isEnum(group.Doc) || isEnum(one.Doc) {
						enums[one.Name.Name] = true
					}
				}
			}
		}
		for _, declaration := range parsed.Decls {
			group, _ := declaration.(*ast.GenDecl)
			if group == nil || group.Tok != token.CONST {
				continue
			}
			for _, spec := range group.Specs {
				one := spec.(*ast.ValueSpec)
				its, _ := one.Type.(*ast.Ident)
				if its == nil || !enums[its.Name] {
					continue
				}
				for _, value := range one.Values {
					literal, _ := value.(*ast.BasicLit)
					if literal == nil {
						continue
					}
					if text, err := strconv.Unquote(literal.Value); err == nil && text != "" {
						found[prefix+its.Name] = append(found[prefix+its.Name], text)
					}
				}
			}
		}
	}
	return found
}

func isEnum(comment *ast.CommentGroup) bool {
	return comment != nil && strings.Contains(comment.Text()+"\n", "+enum\n")
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}
