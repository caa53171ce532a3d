import ArgumentParser
import Bluetooth
import Foundation
import Glibc
import PacketLog
import StrapSimulator

/// Records straps that do not exist.
struct SimulateCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "simulate",
    abstract: "Write the packet log of simulated straps.",
    discussion: """
      The same seed, straps, duration and start give the same log, byte for byte. The format is btsnoop 2001.

      EXAMPLES
        hrgate simulate -o strap.btsnoop
        hrgate simulate --straps 20 --duration 1h --seed 7 -o gym.btsnoop
      """)

  @Option(help: "How many straps (1 to 64).")
  var straps = 1
  @Option(help: "How long: 90s, 10m, 2h …")
  var duration = SpanArgument(count: 10, unit: .minute)
  @Option(help: "The seed of the random hearts and radio; another seed gives another log.")
  var seed: UInt64 = 1
  @Option(help: ArgumentHelp("When the recording begins.", valueName: "time"))
  var start: TimeArgument?
  @Option(name: .shortAndLong, help: ArgumentHelp("The log to write.", valueName: "log"))
  var output: String

  func validate() throws {
    guard (1...64).contains(straps) else {
      throw ValidationError("--straps takes a whole number from 1 to 64.")
    }
  }

  func run() async throws {
    // A fixed default, so that equal commands give equal logs.
    let start = start?.date ?? Date(timeIntervalSince1970: 1_767_261_600)
    do throws(PacketLogError) {
      let summary = try StrapLog.write(
        to: output, straps: (0..<straps).map(StrapProfile.sample(index:)),
        duration: .seconds(duration.seconds),
        seed: seed,
        start: ReceiptTime(microsecondsSince1970: Int64((start.timeIntervalSince1970 * 1e6).rounded())))
      StandardError.tell(
        "\(output): \(summary.records) records, \(summary.notifications) measurements of \(straps == 1 ? "1 strap" : "\(straps) straps")"
      )
    } catch  where error.code == .io(EPIPE) {
      throw ClosedPipe()
    } catch {
      throw Failure("\(output) cannot be written: \(error)")
    }
  }
}
