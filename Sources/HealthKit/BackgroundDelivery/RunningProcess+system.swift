import Foundation
import HealthStorage

extension RunningProcess {
  /// This process; nil where the kernel does not tell.
  static var this: RunningProcess? {
    let process = ProcessInfo.processInfo.processIdentifier
    return started(process).map { RunningProcess(process: process, started: $0) }
  }

  /// Whether the process is still there. Its number may belong to another by now.
  package var isAlive: Bool { Self.started(process) == started }

  /// When a process was started, in ticks since the system was (field 22 of proc_pid_stat(5)).
  private static func started(_ process: Int32) -> String? {
    guard let stat = try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8),
      // The name in the second field may hold spaces and parentheses.
      let end = stat.lastIndex(of: ")")
    else { return nil }
    let fields = stat[end...].split(separator: " ")
    // A zombie has ended.
    guard fields.count > 20, fields[1] != "Z" else { return nil }
    return String(fields[20])
  }
}
