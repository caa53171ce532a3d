extension QueueTimes {
  /// Measurements that come close together although the one before them was in time.
  struct Burst {
    let period: Duration
    /// Whether the pace was known. If not, only ``fewestWithoutPace`` or more values that are less than
    /// ``closeWithoutPace`` apart are a queue.
    let isPaceKnown: Bool
    /// When the one before them came.
    let start: BootTime
    var values: [DuplicateFilter.Passed]
    /// One that came after a pause. It belongs to the burst if another is close behind it.
    var waiting: DuplicateFilter.Passed?

    /// The number of values from which on the kernel may have had no room for more: the receive buffer of
    /// bluetoothd's socket has 212,992 bytes, of which each small packet takes up to 2,304.
    static let fullQueue = 90
    /// More than this is no queue of the kernel, but a monitor that sends as fast as it can.
    static let largest = 128
    /// A queue has been read after this.
    static let longest = Duration.seconds(5)
    /// So much more time than has passed must be in the measurements.
    static let surplus = Duration.seconds(3)
    static let fewestWithoutPace = 4
    static let closeWithoutPace = Duration.milliseconds(30)

    var newest: BootTime { values.last?.value.receipt.boot ?? start }
    var isTooLarge: Bool { values.count >= Self.largest || newest - start >= Self.longest }
    var isQueue: Bool { !isTooLarge && period * values.count - (newest - start) >= Self.surplus }
    var mayLackValues: Bool { isQueue && values.count >= Self.fullQueue }
    /// The pace is not known, and there are too few values to tell a queue from a monitor that sends irregularly.
    var isTentative: Bool { !isPaceKnown && values.count < Self.fewestWithoutPace }

    /// When the burst has ended if no other value arrives.
    var deadline: BootTime {
      if let waiting { return waiting.value.receipt.boot + period / 4 }
      return newest + (isTentative ? Self.closeWithoutPace : period * 2)
    }
  }
}
