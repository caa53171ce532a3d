extension QueueTimes {
  /// Measurements that arrive much faster than the monitor's measuring period, although the one before them
  /// was on time.
  struct Burst {
    let period: Duration
    /// Whether the measuring period was known when the burst began. If not, a burst counts as a queue only if
    /// it has at least ``fewestWithoutPace`` values that are less than ``closeWithoutPace`` apart.
    let isPaceKnown: Bool
    /// When the value before the burst arrived.
    let start: BootTime
    var values: [DuplicateFilter.Passed]
    /// A value that arrived after a pause. It belongs to the burst only if another value follows closely.
    var waiting: DuplicateFilter.Passed?

    /// The number of values that can fill the receive buffer of bluetoothd's socket, so that the kernel drops
    /// further ones. The buffer has 212,992 bytes, and the kernel counts up to 2,304 bytes for a small
    /// packet.
    static let fullQueue = 90
    /// A burst of at least this many values is not a queue of delayed values: the monitor sends as fast as it
    /// can.
    static let largest = 128
    /// A burst is not a queue if its last value arrives this long after the value before the burst. A queue
    /// is read in less time.
    static let longest = Duration.seconds(5)
    /// A burst counts as a queue if its values represent at least this much more time (their number times the
    /// measuring period) than has passed since the value before the burst.
    static let surplus = Duration.seconds(3)
    static let fewestWithoutPace = 4
    static let closeWithoutPace = Duration.milliseconds(30)

    var newest: BootTime { values.last?.value.receipt.boot ?? start }
    var isTooLarge: Bool { values.count >= Self.largest || newest - start >= Self.longest }
    var isQueue: Bool { !isTooLarge && period * values.count - (newest - start) >= Self.surplus }
    var mayLackValues: Bool { isQueue && values.count >= Self.fullQueue }
    /// Whether there are too few values to distinguish a queue from a monitor that sends irregularly, while
    /// the measuring period is unknown.
    var isTentative: Bool { !isPaceKnown && values.count < Self.fewestWithoutPace }

    /// When the burst ends if no other value arrives.
    var deadline: BootTime {
      if let waiting { return waiting.value.receipt.boot + period / 4 }
      return newest + (isTentative ? Self.closeWithoutPace : period * 2)
    }
  }
}
