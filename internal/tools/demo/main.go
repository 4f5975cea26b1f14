// Command demo shows what the plugin does, on a machine with Go, git and make
// alone: in a scratch repository it plays the client's part and a scripted
// model's, and lets the registered hook commands decide.
//
//	go run ./internal/tools/demo [-plugin DIR]
//
// First a goal is reached in three rounds of real edits and real tests, then a
// model that only chats is let go. Each Stop is shown with the decision and the
// rule that the plugin itself has on record. It ends with 1 when anything is not
// as it should be, so that it is a test as well.
//
// It reads no state file of the plugin, and touches nothing but its scratch
// directory, which it leaves for the person to look at.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"time"

	"omc-hook/internal/tools/demo/client"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Args[1:], os.Stdout, coloured(os.Stdout, os.Getenv)); err != nil {
		fmt.Fprintf(os.Stderr, "demo: %v\n", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string, stdout io.Writer, colour bool) error {
	flags := flag.NewFlagSet("demo", flag.ContinueOnError)
	dir := flags.String("plugin", ".", "show the plugin in `DIR`")
	if err := flags.Parse(args); err != nil {
		return err
	}
	plugin, err := client.Open(*dir)
	if err != nil {
		return err
	}
	began := time.Now()
	place, err := newScratch(ctx)
	if err != nil {
		return err
	}
	out := &screen{out: stdout, colour: colour}
	out.title("omc-hook demo")
	out.line("", "Real hooks, real edits, real tests; only the client and the model are played.")
	out.line("plugin", "%s", plugin.Dir)
	out.line("project", "%s", place.project)
	if err := show(ctx, plugin, place, out); err != nil {
		return fmt.Errorf("%w (everything is still in %s)", err, place.dir)
	}
	out.close(plugin, place, time.Since(began))
	return nil
}

// show plays both stories.
func show(ctx context.Context, plugin client.Plugin, place scratch, out *screen) error {
	worker := newPlayer(plugin, place, out, "5f1d3c0a-90de-4f0b-8c11-2f6a7a3f9b01")
	if err := worker.reachTheGoal(ctx); err != nil {
		return fmt.Errorf("the loop with a goal: %w", err)
	}
	chatter := newPlayer(plugin, place, out, "5f1d3c0a-90de-4f0b-8c11-2f6a7a3f9b02")
	if err := chatter.runAway(ctx); err != nil {
		return fmt.Errorf("the runaway loop: %w", err)
	}
	return chatter.explain(ctx)
}
