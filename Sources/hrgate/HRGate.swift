import ArgumentParser
import CProgramBuild
import Foundation
import Glibc

/// The command line: what was typed becomes a command, the command runs, its outcome becomes an exit status.
@main
struct HRGate: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "hrgate",
    abstract: "A Bluetooth LE heart-rate gateway with a health store that speaks HealthKit.",
    discussion: .paragraphs(
      """
      EXAMPLES
        hrgate replay session.btsnoop          store what a recorded session measured
        hrgate stats --every 1h                heart rate by the hour, with a plot
        hrgate samples --limit 5 --json        the first samples, as JSON, one a line
        hrgate simulate -o strap.btsnoop       record a strap that does not exist
        hrgate sync add lab postgresql:///lab  carry what is stored to a database

      Times are ISO 8601. Data goes to standard output, everything else to standard error.
      Exit status: 0 done, 1 failed, 2 wrong usage; 65 from run, for a store that it cannot use as it is.
      """),
    version: version,
    subcommands: [
      ScanCommand.self, PairCommand.self, ForgetCommand.self, MonitorsCommand.self, PeopleCommand.self,
      RunCommand.self,
      StatusCommand.self, PageCommand.self, ConfigCommand.self, DoctorCommand.self,
      RecordCommand.self, ReplayCommand.self,
      SamplesCommand.self, StatsCommand.self, HRVCommand.self, ZonesCommand.self,
      RecoveryCommand.self, DeriveCommand.self, SourcesCommand.self,
      AddCommand.self, ImportCommand.self, ExportCommand.self, DeleteCommand.self, StoreCommand.self,
      PermissionsCommand.self, CharacteristicsCommand.self, UnitsCommand.self, GoalsCommand.self,
      SimulateCommand.self, DeliverCommand.self, SyncCommand.self,
    ])

  /// The number, and where it is known the build: `0.1.0+git20261123.204500`, as packages have it.
  static let version = "0.1.0" + (cprogrambuild_text().map { String(cString: $0) } ?? "")

  static func main() async {
    cprogrambuild_return_freed_memory()
    // A reader that has seen enough closes the pipe; the write then fails with EPIPE, which ends the command
    // in peace.
    signal(SIGPIPE, ignoreSignal)
    guard argumentsAreText else {
      StandardError.tell("an argument is not UTF-8, and a name that is repaired names another file")
      Glibc.exit(2)
    }
    do {
      var command = try parseAsRoot()
      if var asynchronous = command as? any AsyncParsableCommand {
        try await asynchronous.run()
      } else {
        try command.run()
      }
      try StandardOutput.flush()
      if SkippedBlocks.report() { Glibc.exit(1) }
    } catch is ClosedPipe {
      Glibc.exit(0)
    } catch let error as Failure {
      try? StandardOutput.flush()
      _ = SkippedBlocks.report()
      StandardError.tell(error.message)
      Glibc.exit(error.status)
    } catch let fault as ConfigurationFault {
      StandardError.tell(fault.description)
      Glibc.exit(2)
    } catch {
      // Data may have been found before the exit status was.
      try? StandardOutput.flush()
      finish(with: error)
    }
  }

  private static var argumentsAreText: Bool {
    (0..<Int(CommandLine.argc)).allSatisfy { index in
      guard let argument = CommandLine.unsafeArgv[index] else { return true }
      return String(validatingCString: argument) != nil
    }
  }

  /// Help and version go out as data; wrong usage is explained and has status 2.
  private static func finish(with error: any Error) -> Never {
    let message = fullMessage(for: error)
    switch exitCode(for: error) {
    case .success:
      print(message)
      Glibc.exit(0)
    case .validationFailure:
      StandardError.tellUsage(withoutPrefix(message), arguments: CommandLine.arguments)
      Glibc.exit(2)
    default:
      // Of the system, of a library: whatever it says of names, it is one sentence.
      if !message.isEmpty { StandardError.tell(withoutPrefix(message)) }
      Glibc.exit(1)
    }
  }
}

/// The form of an error is ours.
private func withoutPrefix(_ message: String) -> String {
  let prefix = "Error: "
  return message.hasPrefix(prefix) ? String(message.dropFirst(prefix.count)) : message
}

/// A command could not do what it was asked for; the message says what and why.
struct Failure: LocalizedError {
  /// `EX_DATAERR` of sysexits.h: what the command is about cannot be used, today or tomorrow, unless
  /// somebody does something about it. The services are not started again after it.
  static let unusable: Int32 = 65

  var message: String
  var status: Int32

  init(_ message: String, status: Int32 = 1) {
    self.message = message
    self.status = status
  }

  var errorDescription: String? { message }
}
