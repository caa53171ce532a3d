import ArgumentParser
import CProgramBuild
import Foundation
import Glibc

/// The command line: parses the arguments, runs the command, and exits with its status.
@main
struct HRGate: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "hrgate",
    abstract:
      "Record heart-rate monitors over Bluetooth LE into a health database that Swift programs read with the HealthKit API.",
    discussion: .paragraphs(
      """
      EXAMPLES
        hrgate replay session.btsnoop          store the measurements of a recording
        hrgate stats --every 1h                heart rate by the hour, with a plot
        hrgate samples --limit 5 --json        the first samples as JSON lines
        hrgate simulate -o strap.btsnoop       simulate a strap's packet log
        hrgate sync add lab postgresql:///lab  send data to a database

      Times are ISO 8601. Data goes to standard output, everything else to standard error.
      Exit status: 0 success, 1 failure, 2 wrong usage; 65 if hrgate run cannot use the store (database file) until you repair or replace it.
      """),
    version: version,
    subcommands: [
      ScanCommand.self, PairCommand.self, ForgetCommand.self, MonitorsCommand.self, PeopleCommand.self,
      RunCommand.self,
      StatusCommand.self, PageCommand.self, DemoCommand.self, ConfigCommand.self, DoctorCommand.self,
      RecordCommand.self, ReplayCommand.self,
      SamplesCommand.self, StatsCommand.self, HRVCommand.self, ZonesCommand.self,
      RecoveryCommand.self, DeriveCommand.self, SourcesCommand.self,
      AddCommand.self, ImportCommand.self, ExportCommand.self, DeleteCommand.self, StoreCommand.self,
      PermissionsCommand.self, CharacteristicsCommand.self, UnitsCommand.self, GoalsCommand.self,
      SimulateCommand.self, DeliverCommand.self, SyncCommand.self,
    ])

  /// The version, with the build if known: `0.9.0+git20261123.204500`, as in packages.
  static let version = "0.9.0" + (cprogrambuild_text().map { String(cString: $0) } ?? "")

  static func main() async {
    cprogrambuild_return_freed_memory()
    // Without SIGPIPE, a write to a closed pipe fails with EPIPE and the command ends without an error.
    signal(SIGPIPE, ignoreSignal)
    guard argumentsAreText else {
      StandardError.print("an argument is not valid UTF-8; rename the file, or set a UTF-8 locale")
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
    } catch is ClosedPipeError {
      Glibc.exit(0)
    } catch let error as CommandError {
      try? StandardOutput.flush()
      _ = SkippedBlocks.report()
      StandardError.print(error.message)
      Glibc.exit(error.status)
    } catch let fault as ConfigurationError {
      StandardError.print(fault.description)
      Glibc.exit(2)
    } catch {
      // Print the data that was found before the error.
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

  /// Prints help and version to standard output. Usage errors are explained on standard error with status 2.
  private static func finish(with error: any Error) -> Never {
    let message = fullMessage(for: error)
    switch exitCode(for: error) {
    case .success:
      print(message)
      Glibc.exit(0)
    case .validationFailure:
      StandardError.printUsage(withoutPrefix(message), arguments: CommandLine.arguments)
      Glibc.exit(2)
    default:
      // Errors from the system or a library: print them on one line, whatever names they contain.
      if !message.isEmpty { StandardError.print(withoutPrefix(message)) }
      Glibc.exit(1)
    }
  }
}

/// Removes ArgumentParser's prefix; hrgate has its own.
private func withoutPrefix(_ message: String) -> String {
  let prefix = "Error: "
  return message.hasPrefix(prefix) ? String(message.dropFirst(prefix.count)) : message
}

/// The error of a command, with its message for the user.
struct CommandError: LocalizedError {
  /// `EX_DATAERR` of sysexits.h: the data is unusable until the user acts. systemd does not restart a service
  /// after this status.
  static let unusable: Int32 = 65

  var message: String
  var status: Int32

  init(_ message: String, status: Int32 = 1) {
    self.message = message
    self.status = status
  }

  var errorDescription: String? { message }
}
