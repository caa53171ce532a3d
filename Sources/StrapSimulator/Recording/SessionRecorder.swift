import Bluetooth
import PacketLog

/// Writes what happens into a log, in the order of time.
protocol SessionRecorder {
  var summary: StrapLog.Summary { get }

  mutating func append(_ event: SimulatedSession.Event) throws(PacketLogError)

  /// Ends the file and begins the next one of the same recording.
  mutating func rotate(to path: String, at time: ReceiptTime) throws(PacketLogError)

  mutating func close() throws(PacketLogError)
}
