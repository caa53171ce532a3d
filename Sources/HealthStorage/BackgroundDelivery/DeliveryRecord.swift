/// How a program is started.
package struct LaunchRecord: Hashable, Sendable {
  /// A systemd user unit; nil for the executable.
  package var unit: String?
  package var executable: String

  package init(unit: String?, executable: String) {
    self.unit = unit
    self.executable = executable
  }
}

/// A program that is to be started when samples of a type change.
package struct DeliveryRecord: Hashable, Sendable {
  package var application: ApplicationRecord
  package var launch: LaunchRecord
  /// The identifier of a sample type.
  package var type: String
  /// The raw value of the frequency.
  package var frequency: Int
  /// How much of the change log the program has acknowledged.
  package var position: Int64
  /// When it was last started for this type, in microseconds since 1970.
  package var delivered: Int64?
  /// How often it was started since it last acknowledged.
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

/// A process that registered as an application: believed only while a process of that number, started at that
/// time, exists.
package struct RunningProcess: Hashable, Sendable {
  package var process: Int32
  /// As the kernel counts.
  package var started: String

  package init(process: Int32, started: String) {
    self.process = process
    self.started = started
  }
}
