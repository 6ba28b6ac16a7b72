// Command bench measures ctx as it is installed, beside what it is to be
// compared with on the same machine in the same run, and prints one table.
//
// usage: bench [--quick] [--markdown] PREFIX STUBSERVER DIR
package main

import (
	"flag"
	"fmt"
	"os"
)

func main() {
	quick := flag.Bool("quick", false, "fewer rounds")
	markdown := flag.Bool("markdown", false, "print the table as Markdown")
	flag.Parse()
	if flag.NArg() != 3 {
		fmt.Fprintln(os.Stderr, "usage: bench [--quick] [--markdown] PREFIX STUBSERVER DIR")
		os.Exit(2)
	}
	b := &bench{prefix: flag.Arg(0), stub: flag.Arg(1), dir: flag.Arg(2), clients: os.Getenv("CTX_REALHOSTS"), rounds: 25}
	if *quick {
		b.rounds = 7
	}
	if err := b.run(); err != nil {
		fmt.Fprintln(os.Stderr, "error: bench:", err)
		os.Exit(1)
	}
	b.table.print(os.Stdout, *markdown)
}
