import ArgumentParser
import Bluetooth
import Glibc
import PacketLog
import PacketRecording

/// Records what the enrolled monitors and the host's Bluetooth controllers exchange.
struct RecordCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "record",
    abstract: "Record the packets of the enrolled monitors, for a replay or to look into a fault.",
    discussion: .paragraphs(
      """
      Runs until it is interrupted, beside the gateway or without it, and disturbs neither. The log is btsnoop 2001 with the kernel's times:
      hrgate replay, Wireshark and btmon read it. It holds what the monitors measured, in clear, and is for its owner alone: under sudo for
      whoever called sudo. It needs the right to see raw packets (CAP_NET_RAW), which root has.

      Only what concerns the enrolled monitors is recorded, those that are enrolled meanwhile included, and what tells of the controllers:
      the monitors of the owner and of all people, as hrgate run follows them, or those of --person or --store alone. Under sudo the owner
      is whoever called sudo. hrgate replay stores what each of them measured in the store of whoever's it is. Keys of pairing and encryption are overwritten with zeros.

      A log is never written over. With --rotate-size or --rotate-every it is several files, named after it and numbered:
      strap-000001.btsnoop, strap-000002.btsnoop … Replay them together. One alone knows whose its packets are, and where the monitor's
      attributes were read in an earlier one, its handle is named with --measurement-handle.

      EXAMPLES
        sudo hrgate record -o strap.btsnoop
        sudo hrgate record --all --rotate-size 100M --rotate-every 1d -o all.btsnoop
        hrgate replay --dry-run strap.btsnoop
      """))

  /// Less would be a file for each advertisement.
  private static let smallestFile: Int64 = 4096

  @OptionGroup var store: StoreOptions
  @Option(
    name: .shortAndLong, help: ArgumentHelp("The log to write; - is standard output.", valueName: "log"),
    completion: .file())
  var output: String
  @Flag(help: "Record everything that the controllers exchange with the host, whoever it concerns.")
  var all = false
  @Flag(
    help:
      "Leave the keys of pairing and encryption in the log: who has them can pass for the host or the monitor."
  )
  var keys = false
  @Option(
    help: ArgumentHelp("Begin a new file when one has so many octets: 500K, 100M, 1G …", valueName: "size"),
    transform: SizeArgument.read)
  var rotateSize: SizeArgument?
  @Option(
    help: ArgumentHelp("Begin a new file each time so much has passed: 90s, 10m, 1d …", valueName: "time"),
    transform: SpanArgument.read)
  var rotateEvery: SpanArgument?

  func validate() throws {
    if rotation != nil, output == "-" {
      throw ValidationError("--rotate-size and --rotate-every write several files: name one with --output.")
    }
    if let rotateSize, rotateSize.octets < Self.smallestFile {
      throw ValidationError("--rotate-size is 4K or more.")
    }
  }

  func run() async throws {
    if all { return try await record(.everything) }
    let stores = try RecordedStores(store, of: StoreUser())
    let straps = try await stores.monitors()
    if straps.isEmpty {
      StandardError.tell("no monitor is enrolled yet: those that are enrolled meanwhile are recorded")
    }
    try await record(.straps(straps)) { recorder in await stores.watch { recorder.record($0) } }
  }

  /// - Parameter watch: Goes on beside the recording, and ends with it.
  private func record(
    _ scope: RecordingOptions.Scope, watch: @escaping @Sendable (PacketRecorder) async -> Void = { _ in }
  ) async throws {
    let interruption = Interruption()
    let caller = SudoCaller.current
    let options = RecordingOptions(scope, keepsKeys: keys, rotation: rotation, owner: caller?.owner)
    do {
      let recorder = try PacketRecorder(MonitorChannel(), to: output, options: options)
      if let refusal = recorder.ownerRefusal, let caller {
        StandardError.tell(
          "\(output.plain) stays root's, for it cannot be given to \(caller.name): \(refusal)")
      }
      StandardError.tell("recording into \(output.plain)")
      let tally = try await untilInterrupted(interruption) {
        try await withThrowingTaskGroup(of: RecordingTally?.self) { group in
          group.addTask {
            await watch(recorder)
            return nil
          }
          group.addTask { try await recorder.run() }
          defer { group.cancelAll() }
          while let ended = try await group.next() {
            if let ended { return ended }
          }
          return RecordingTally()
        }
      }
      StandardError.tell(Self.text(tally))
    } catch let error as RecordingUnavailable {
      let command = "sudo hrgate record\(all ? " --all" : "") -o LOG"
      throw Failure(error == .notPermitted ? "\(error). Record as root: \(command)" : error.description)
    } catch let error as PacketLogError {
      throw try failure(error)
    }
  }

  private func failure(_ error: PacketLogError) throws -> Failure {
    switch error.code {
    case .io(EPIPE): throw ClosedPipe()
    case .io(EEXIST): Failure("\(output) is there already, and is not written over: name another log")
    default: Failure("\(output) cannot be written: \(error)")
    }
  }

  private var rotation: LogRotation? {
    guard rotateSize != nil || rotateEvery != nil else { return nil }
    return LogRotation(size: rotateSize?.octets, time: rotateEvery.map { .seconds($0.seconds) })
  }

  private static func text(_ tally: RecordingTally) -> String {
    "\(tally.recorded) of \(tally.seen) packets recorded, \(tally.dropped) lost"
      + (tally.files > 1 ? ", in \(tally.files) files" : "")
  }
}
