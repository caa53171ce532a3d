import ArgumentParser
import Bluetooth
import Glibc
import PacketLog
import PacketRecording

/// Records the packets between the enrolled monitors and the host's Bluetooth controllers.
struct RecordCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "record",
    abstract: "Record the Bluetooth packets of your monitors to a file, for replay or troubleshooting.",
    discussion: .paragraphs(
      """
      Runs until Ctrl-C, with or without a running gateway (hrgate run), and disturbs neither gateway nor monitors. The file is in btsnoop 2001
      format with the kernel's timestamps; hrgate replay, Wireshark and btmon can read it. Recording requires CAP_NET_RAW, which root has. The
      file contains unencrypted measurements, so only its owner can read it; with sudo that is the user who called sudo.

      The file has only the packets of monitors paired with hrgate pair, including those paired meanwhile, and controller events. As for hrgate
      run, these are your own monitors and those of all people, or only those of --person or --store. With sudo they are those of the user who
      called sudo. hrgate replay stores the measurements for each monitor's person. Pairing and encryption keys are overwritten with zeros.

      An existing file is never overwritten. With --rotate-size or --rotate-every there are several files with numbered names:
      strap-000001.btsnoop, strap-000002.btsnoop … Replay them together. To replay a later file alone, give the attribute handle with hrgate
      replay --measurement-handle, because service discovery may be in an earlier file.

      EXAMPLES
        sudo hrgate record -o strap.btsnoop
        sudo hrgate record --all --rotate-size 100M --rotate-every 1d -o all.btsnoop
        hrgate replay --dry-run strap.btsnoop
      """))

  /// Minimum size of a file in bytes. Smaller files would hold a single advertisement each.
  private static let smallestFile: Int64 = 4096

  @OptionGroup var store: StoreOptions
  @Option(
    name: .shortAndLong,
    help: ArgumentHelp("The file to write, such as strap.btsnoop; - is standard output.", valueName: "log"),
    completion: .file())
  var output: String
  @Flag(help: "Record the packets of all Bluetooth devices, not only of your monitors.")
  var all = false
  @Flag(
    help:
      "Keep pairing and encryption keys in the log. Anyone with the keys can impersonate the host or the monitor."
  )
  var keys = false
  @Option(
    help: ArgumentHelp(
      "Start a new numbered file when the current one reaches this size, such as 500K (kibibytes), 100M or 1G (default: one file).",
      valueName: "size"),
    transform: SizeArgument.read)
  var rotateSize: SizeArgument?
  @Option(
    help: ArgumentHelp(
      "Start a new numbered file after this time, such as 90s, 10m or 1d (default: one file).",
      valueName: "time"),
    transform: SpanArgument.read)
  var rotateEvery: SpanArgument?

  func validate() throws {
    if rotation != nil, output == "-" {
      throw ValidationError("--rotate-size and --rotate-every write several files; name one with --output.")
    }
    if let rotateSize, rotateSize.bytes < Self.smallestFile {
      throw ValidationError("--rotate-size must be at least 4K.")
    }
  }

  func run() async throws {
    if all { return try await record(.everything) }
    let stores = try RecordedStores(store, of: StoreUser())
    let straps = try await stores.monitors()
    if straps.isEmpty {
      StandardError.print("no monitor is paired yet; recording starts when you pair one: hrgate pair ADDRESS")
    }
    try await record(.straps(straps)) { recorder in await stores.watch { recorder.record($0) } }
  }

  /// Records until the user interrupts the command.
  /// - Parameter watch: Runs during the recording; canceled when it ends.
  private func record(
    _ scope: RecordingOptions.Scope, watch: @escaping @Sendable (PacketRecorder) async -> Void = { _ in }
  ) async throws {
    let interruption = Interruption()
    let caller = SudoCaller.current
    let options = RecordingOptions(scope, keepsKeys: keys, rotation: rotation, owner: caller?.owner)
    do {
      let recorder = try PacketRecorder(MonitorChannel(), to: output, options: options)
      if let refusal = recorder.ownerRefusal, let caller {
        StandardError.print(
          "\(output.plain) belongs to root; its owner cannot be changed to \(caller.name): \(refusal)")
      }
      StandardError.print("recording to \(output.plain)")
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
      StandardError.print(Self.text(tally))
    } catch let error as RecordingUnavailableError {
      let command = "sudo hrgate record\(all ? " --all" : "") -o LOG"
      throw CommandError(error == .notPermitted ? "\(error). Record as root: \(command)" : error.description)
    } catch let error as PacketLogError {
      throw try failure(error)
    }
  }

  private func failure(_ error: PacketLogError) throws -> CommandError {
    switch error.code {
    case .io(EPIPE): throw ClosedPipeError()
    case .io(EEXIST): CommandError("\(output) already exists and is not overwritten; choose another name")
    default: CommandError("\(output) cannot be written: \(error)")
    }
  }

  private var rotation: LogRotation? {
    guard rotateSize != nil || rotateEvery != nil else { return nil }
    return LogRotation(size: rotateSize?.bytes, time: rotateEvery.map { .seconds($0.seconds) })
  }

  private static func text(_ tally: RecordingTally) -> String {
    "\(tally.recorded) of \(tally.seen) packets recorded, \(tally.dropped) lost"
      + (tally.files > 1 ? ", in \(tally.files) files" : "")
  }
}
