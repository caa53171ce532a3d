import ArgumentParser
import Bluetooth
import Foundation
import Glibc
import PacketLog
import StrapSimulator

/// Writes packet logs of simulated straps.
struct SimulateCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "simulate",
    abstract: "Write a Bluetooth packet log (btsnoop or pcap) of simulated heart-rate straps.",
    discussion: .paragraphs(
      """
      The same seed, straps, duration and start give the same log, byte for byte. The format is btsnoop 2001, as recorded on the
      receiving host or on the sending strap, or pcap, as recorded by a sniffer.

      By default the simulated people exercise at the start and then work, sleep and exercise by the time of day, in UTC from --start. Their
      heart rates vary with breathing, drift slowly, are lower at night, and have rare premature beats.

      EXAMPLES
        hrgate simulate -o strap.btsnoop
        hrgate simulate --straps 20 --duration 1h --seed 7 -o gym.btsnoop
        hrgate simulate --duration 1h --rotate 10m -o strap.btsnoop  # strap-001 …
        hrgate simulate --recorder air --lost-acknowledgements 5 -o air.pcap
      """))

  @Option(help: "Number of simulated straps, from 1 to 64.")
  var straps = 1
  @Option(
    help: "Duration of the recording, such as 90s, 10m or 2h (default: 10m).", transform: SpanArgument.read)
  var duration = SpanArgument(count: 10, unit: .minute)
  @Option(help: "Seed of the random heartbeats and radio conditions; the same seed gives the same log.")
  var seed: UInt64 = 1
  @Option(
    help: ArgumentHelp(
      "Start time of the recording, such as 2026-11-21T06:00:00Z (default: 2026-01-01T10:00:00Z).",
      valueName: "time"), transform: TimeArgument.read)
  var start: TimeArgument?
  @Option(
    help:
      "What the simulated people do: days (sleep, work, training), or ramp (ten minutes of rest, exercise and recovery, repeated)."
  )
  var wearers = WearersArgument.days
  @Option(
    help:
      "Where the packets are recorded: host (the receiving computer), strap (the sending device) or air (a sniffer between them)."
  )
  var recorder = RecorderArgument.host
  @Option(
    help: ArgumentHelp(
      "With --recorder air: percentage of packets, from 0 to 100, that straps repeat because they missed the acknowledgement (default: 0).",
      valueName: "percent"))
  var lostAcknowledgements: Int?
  @Option(
    help: ArgumentHelp(
      "Start a new numbered file after this time, such as 90s, 10m or 2h (default: one file).",
      valueName: "time"),
    transform: SpanArgument.read)
  var rotate: SpanArgument?
  @Option(
    name: .shortAndLong,
    help: ArgumentHelp("The file to write, such as strap.btsnoop; - is standard output.", valueName: "log"),
    completion: .file())
  var output: String

  func validate() throws {
    guard (1...64).contains(straps) else {
      throw ValidationError("--straps must be from 1 to 64.")
    }
    if recorder == .strap, straps > 1 {
      throw ValidationError("--recorder strap records one strap; leave out --straps.")
    }
    if let lostAcknowledgements {
      guard recorder == .air else {
        throw ValidationError("--lost-acknowledgements requires --recorder air.")
      }
      guard (0...100).contains(lostAcknowledgements) else {
        throw ValidationError("--lost-acknowledgements must be from 0 to 100.")
      }
    }
    if rotate != nil, output == "-" {
      throw ValidationError("--rotate writes several files; name one with --output.")
    }
  }

  func run() async throws {
    // The default is fixed, so equal commands produce equal logs.
    let start = start?.date ?? Date(timeIntervalSince1970: 1_767_261_600)
    do throws(PacketLogError) {
      let summary = try StrapLog.write(
        to: output, straps: (0..<straps).map { wearers.strap($0, start: start, seed: seed) },
        duration: .seconds(duration.seconds),
        seed: seed,
        start: ReceiptTime(microsecondsSince1970: Int64((start.timeIntervalSince1970 * 1e6).rounded())),
        options: StrapLogOptions(
          recorder: recorder.recorder(lostAcknowledgements ?? 0),
          rotation: rotate.map { .seconds($0.seconds) }))
      let name = rotate == nil ? output : "\(StrapLogOptions.part(1, of: output)) to \(summary.files)"
      StandardError.print(
        "\(name): \(summary.records) records, \(summary.notifications) measurements of \(straps == 1 ? "1 strap" : "\(straps) straps")"
      )
    } catch  where error.code == .io(EPIPE) {
      throw ClosedPipeError()
    } catch {
      throw CommandError("\(output) cannot be written: \(error)")
    }
  }
}

/// What the wearers of the straps do.
enum WearersArgument: String, ExpressibleByArgument, CaseIterable {
  case days
  case ramp

  func strap(_ index: Int, start: Date, seed: UInt64) -> StrapProfile {
    switch self {
    case .ramp: .sample(index: index)
    case .days:
      .worn(
        index: index, startingAt: start.timeIntervalSince1970.truncatingRemainder(dividingBy: 86_400),
        beginsWithSession: true, seed: seed)
    }
  }
}

/// The recorder argument.
enum RecorderArgument: String, ExpressibleByArgument, CaseIterable {
  case host
  case strap
  case air

  func recorder(_ lostAcknowledgements: Int) -> StrapLogOptions.Recorder {
    switch self {
    case .host: .host
    case .strap: .strap
    case .air: .air(lostAcknowledgements: Double(lostAcknowledgements) / 100)
    }
  }
}
