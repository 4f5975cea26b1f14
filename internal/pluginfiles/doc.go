// Package pluginfiles holds the tests of the files that make this repository a
// plugin: the manifests, the hook registrations and the launcher. It has no
// code of its own, and it does not test what the binary answers.
package pluginfiles
