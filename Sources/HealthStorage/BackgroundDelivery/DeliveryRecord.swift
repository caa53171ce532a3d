/// How to start a program.
package struct LaunchRecord: Hashable, Sendable {
  /// The name of a systemd user unit to start; `nil` to start the executable.
  package var unit: String?
  package var executable: String

  package init(unit: String?, executable: String) {
    self.unit = unit
    self.executable = executable
  }
}

/// A program to start when samples of a type change.
package struct DeliveryRecord: Hashable, Sendable {
  package var application: ApplicationRecord
  package var launch: LaunchRecord
  /// The identifier of a sample type.
  package var type: String
  /// The raw value of the update frequency (`HKUpdateFrequency`).
  package var frequency: Int
  /// The position in the change log up to which the program has confirmed that it handled the changes.
  package var position: Int64
  /// When the program was last started because of this type, in microseconds since 1970; `nil` if never.
  package var delivered: Int64?
  /// The number of times the program was started since its last confirmation.
  package var misses: Int

  package init(
    application: ApplicationRecord, launch: LaunchRecord, type: String, frequency: Int, position: Int64,
    delivered: Int64?, misses: Int
  ) {
    self.application = application
    self.launch = launch
    self.type = type
    self.frequency = frequency
    self.position = position
    self.delivered = delivered
    self.misses = misses
  }
}

/// A running process of an application. It counts only while a process with this ID and start time exists,
/// because process IDs are reused.
package struct RunningProcess: Hashable, Sendable {
  package var process: Int32
  /// The start time of the process in clock ticks since boot, as text (field 22 of proc_pid_stat(5)).
  package var started: String

  package init(process: Int32, started: String) {
    self.process = process
    self.started = started
  }
}
