// decoder reads texts as `kubectl apply -f` reads a file, and answers which objects it finds in each.
//
//	decoder FILE...    reads files, "-" for stdin
//	decoder            reads many texts from stdin, each led by its length in bytes (four bytes, highest first)
//
// Each text has one line of JSON on stdout.
package main

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"

	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/transform"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/cli-runtime/pkg/resource"
)

// Answer is what kubectl reads from one text. It may hold both: kubectl applies the objects before an error.
type Answer struct {
	// Objects are complete, as JSON values.
	Objects []any  `json:"objects"`
	Error   string `json:"error,omitempty"`
}

func main() {
	in := bufio.NewReaderSize(os.Stdin, 1<<20)
	out := bufio.NewWriterSize(os.Stdout, 1<<20)
	defer out.Flush()
	for _, file := range os.Args[1:] {
		text, err := content(file)
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		out.Write(line(text))
	}
	for len(os.Args) == 1 {
		text, err := next(in)
		if errors.Is(err, io.EOF) {
			return
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		out.Write(line(text))
		if in.Buffered() == 0 {
			out.Flush()
		}
	}
}

func content(file string) ([]byte, error) {
	if file == "-" {
		return io.ReadAll(os.Stdin)
	}
	return os.ReadFile(file)
}

func line(text []byte) []byte {
	answer, err := json.Marshal(read(text))
	if err != nil {
		answer, _ = json.Marshal(Answer{Objects: []any{}, Error: err.Error()})
	}
	return append(answer, '\n')
}

func next(in io.Reader) ([]byte, error) {
	var length uint32
	if err := binary.Read(in, binary.BigEndian, &length); err != nil {
		return nil, err
	}
	text := make([]byte, length)
	_, err := io.ReadFull(in, text)
	return text, err
}

// read takes the way of `kubectl apply -f`: resource.FileVisitor decodes by the byte order mark, and the builder
// splits, decodes and flattens. Schemas and names are looked up at the cluster, and are left out.
func read(text []byte) (answer Answer) {
	answer.Objects = []any{}
	defer func() {
		if failure := recover(); failure != nil {
			answer.Error = fmt.Sprint("panic: ", failure)
		}
	}()
	decoded := transform.NewReader(bytes.NewReader(text), unicode.BOMOverride(unicode.UTF8.NewDecoder()))
	result := resource.NewLocalBuilder().Unstructured().Local().ContinueOnError().Stream(decoded, "input").Flatten().Do()
	err := result.Visit(func(info *resource.Info, err error) error {
		if err != nil {
			return err
		}
		if object, ok := info.Object.(*unstructured.Unstructured); ok {
			answer.Objects = append(answer.Objects, object.Object)
		}
		return nil
	})
	if err != nil {
		answer.Error = err.Error()
	}
	return answer
}
