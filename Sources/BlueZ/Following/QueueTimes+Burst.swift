extension QueueTimes {
  /// Measurements that arrive close together although the one before them was in time.
  struct Burst {
    let period: Duration
    /// Whether the monitor's pace was known when the burst began. Otherwise a queue has at least
    /// ``fewestWithoutPace`` values that are less than ``closeWithoutPace`` apart.
    let isPaceKnown: Bool
    /// When the value before the burst arrived.
    let start: BootTime
    var values: [DuplicateFilter.Passed]
    /// A value that arrived after a pause. It belongs to the burst if another follows closely.
    var waiting: DuplicateFilter.Passed?

    /// The number of values that may fill the receive buffer of bluetoothd's socket. The buffer has 212,992
    /// bytes, and the kernel charges up to 2,304 bytes for a small packet.
    static let fullQueue = 90
    /// The number of values from which a burst is a flood: a monitor that sends as fast as it can.
    static let largest = 128
    /// Maximum time that reading a queue takes.
    static let longest = Duration.seconds(5)
    /// The least time that the values of a queue represent beyond the time that has passed.
    static let surplus = Duration.seconds(3)
    static let fewestWithoutPace = 4
    static let closeWithoutPace = Duration.milliseconds(30)

    var newest: BootTime { values.last?.value.receipt.boot ?? start }
    var isTooLarge: Bool { values.count >= Self.largest || newest - start >= Self.longest }
    var isQueue: Bool { !isTooLarge && period * values.count - (newest - start) >= Self.surplus }
    var mayLackValues: Bool { isQueue && values.count >= Self.fullQueue }
    /// The pace is not known, and there are too few values to tell a queue from a monitor that sends
    /// irregularly.
    var isTentative: Bool { !isPaceKnown && values.count < Self.fewestWithoutPace }

    /// When the burst has ended if no other value arrives.
    var deadline: BootTime {
      if let waiting { return waiting.value.receipt.boot + period / 4 }
      return newest + (isTentative ? Self.closeWithoutPace : period * 2)
    }
  }
}
