/// The way to start a program.
package struct LaunchRecord: Hashable, Sendable {
  /// The name of a systemd user unit; nil to start the executable.
  package var unit: String?
  package var executable: String

  package init(unit: String?, executable: String) {
    self.unit = unit
    self.executable = executable
  }
}

/// A program that is started when samples of a type change.
package struct DeliveryRecord: Hashable, Sendable {
  package var application: ApplicationRecord
  package var launch: LaunchRecord
  /// The identifier of a sample type.
  package var type: String
  /// The raw value of the frequency.
  package var frequency: Int
  /// The position in the change log up to which the program has acknowledged changes.
  package var position: Int64
  /// The time of the last start for this type, in microseconds since 1970.
  package var delivered: Int64?
  /// The number of starts since the last acknowledgment.
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

/// A process that registered as an application. Counts only while a process with that ID and start time
/// exists, because process IDs are reused.
package struct RunningProcess: Hashable, Sendable {
  package var process: Int32
  /// The start time in the kernel's own units.
  package var started: String

  package init(process: Int32, started: String) {
    self.process = process
    self.started = started
  }
}
