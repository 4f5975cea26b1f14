// Package realclient runs tests of the plugin in the real Claude Code client,
// against a scripted stand-in for the model.
//
// A test package gives its TestMain to [Main], which runs the tests a second
// time in namespaces of their own: the only network there is a loopback, on
// which the scripted Messages API and the client meet. A test makes a [World]
// (scratch home, scratch repository, plugins), says with a [Script] what the
// model answers, and runs a [Session] either in print mode ([World.Print]) or
// in a terminal ([World.Open]). It then looks at what the client printed, what
// the model read ([Request]), what the hooks answered and what lies on disk.
//
// Every wait has a deadline, and no process outlives the test that started it.
// Nobody's credentials are read: the client gets an empty environment, a
// scratch home and a key that no service knows.
//
// The client is fetched once, with npm, and kept. Where it cannot be had or
// run (another system, no npm, no right to make a namespace, -short) the tests
// are skipped; [RequireVar] set to "require" makes them fail instead, and set
// to "off" skips them everywhere.
//
// The package knows nothing of the plugin's state or verbs, and no program
// links it. It is built on Linux only.
package realclient
