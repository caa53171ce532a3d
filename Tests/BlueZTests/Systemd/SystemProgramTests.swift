import Foundation
import Testing

@testable import Systemd

/// How systemctl and its like are run.
@Suite(.timeLimit(.minutes(30))) struct SystemProgramTests {
  private func run(_ script: String) throws -> SystemProgram.Outcome {
    try SystemProgram.run(["sh", "-c", script])
  }

  @Test func `what a program says and how it ends is told`() throws {
    let done = try run("echo out; echo one >&2; echo two >&2; exit 3")
    #expect(done.status == 3 && done.output == "out\n" && done.complaint == "one; two")
    let silent = try run("exit 4")
    #expect(silent.status == 4 && silent.complaint == "ended with status 4")
    #expect(try run("true").status == 0)
  }

  @Test func `a program that is killed has not done what it was to do`() throws {
    #expect(try run("kill -KILL $$").status == 128 + SIGKILL)
  }

  @Test func `whatever a program says on both outputs is read, and its input is at its end`() throws {
    // More than a pipe holds, on each, in turns: read one after the other, it would wait for ever.
    let outputs = (1...4).map { "head -c 200000 /dev/zero | tr '\\0' a >&\(1 + $0 % 2)" }
    let noise = try run((["cat"] + outputs).joined(separator: "; "))
    #expect(noise.status == 0 && noise.output.utf8.count == 400_000 && noise.errors.utf8.count == 400_000)
  }

  @Test func `a program has its own session, no terminal, and default signals`() throws {
    var blocked = sigset_t()
    sigemptyset(&blocked)
    sigaddset(&blocked, SIGUSR1)
    var before = sigset_t()
    pthread_sigmask(SIG_BLOCK, &blocked, &before)
    let action = signal(SIGUSR2, SIG_IGN)
    defer {
      pthread_sigmask(SIG_SETMASK, &before, nil)
      signal(SIGUSR2, action)
    }
    let shown = try run("grep -E '^Sig(Blk|Ign)' /proc/self/status; cut -d' ' -f6,7 /proc/self/stat; echo $$")
    let lines = shown.output.split(separator: "\n").map(String.init)
    try #require(lines.count == 4)
    #expect(lines[0].hasSuffix("\t0000000000000000"))
    // Glibc keeps two real-time signals for itself.
    let ignored = try #require(UInt64(lines[1].split(separator: "\t")[1], radix: 16))
    #expect(ignored & ~(3 << 31) == 0, "\(lines[1])")
    #expect(lines[2] == "\(lines[3]) 0")
  }

  @Test(.enabled(if: access("/usr/bin/setpriv", X_OK) == 0, "setpriv is not installed"))
  func `a program is terminated when the one that started it ends`() throws {
    let shown = try SystemProgram.run(["setpriv", "--dump"])
    #expect(shown.output.contains("Parent death signal: TERM"), "\(shown.output)")
  }

  @Test func `a program that is not there is told by its name`() {
    let refusal = #expect(throws: ServiceRefusal.self) { try SystemProgram.run(["no-such-program-here"]) }
    #expect(refusal?.description == "no-such-program-here: No such file or directory")
  }
}
