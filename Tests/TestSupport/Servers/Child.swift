import Foundation
import Glibc

/// A program that a test started. The process is killed when the object is released.
final class Child {
  private(set) var process: pid_t = 0

  struct StartError: Error {
    var program: String
    var number: Int32
  }

  init(_ program: String, _ arguments: [String]) throws {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0)
    posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0)
    // Threads of a dispatch queue block signals. A child process would inherit the blocked signals.
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var (none, all) = (sigset_t(), sigset_t())
    sigemptyset(&none)
    sigfillset(&all)
    posix_spawnattr_setsigmask(&attributes, &none)
    posix_spawnattr_setsigdefault(&attributes, &all)
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))
    var pointers = ([program] + arguments).map { strdup($0) } + [nil]
    defer { for pointer in pointers { free(pointer) } }
    let result = posix_spawn(&process, program, &actions, &attributes, &pointers, environ)
    guard result == 0 else { throw StartError(program: program, number: result) }
  }

  /// Runs a program until it exits.
  static func run(_ program: String, _ arguments: [String]) throws {
    let status = try Child(program, arguments).wait()
    guard status == 0 else { throw StartError(program: program, number: status) }
  }

  func signal(_ number: Int32) { if process > 0 { kill(process, number) } }

  @discardableResult
  func wait() -> Int32 {
    var status: Int32 = 0
    if process > 0 { waitpid(process, &status, 0) }
    process = 0
    return status
  }

  deinit {
    signal(SIGKILL)
    wait()
  }
}
