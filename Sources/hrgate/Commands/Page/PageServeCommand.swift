import ArgumentParser
import Foundation
import HealthKit
import HealthPage
import HealthSystem

/// Serves the page, unless the gateway does: then it prints a new address of that one's.
struct PageServeCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "serve", abstract: "Serve the page until you interrupt it.")

  @Option(
    help: "The port on loopback, 0 for any (default: \(PageServer.usualPort), or any if that is taken).")
  var port: Int?
  @Flag(help: "Print the address only, and open no browser.")
  var noOpen = false
  /// There is no such door: whoever looks for one is told of the other.
  @Option(help: ArgumentHelp("None but this machine's.", visibility: .hidden)) var host: String?
  @OptionGroup var store: StoreOptions

  func validate() throws {
    guard host == nil else {
      throw ValidationError(
        """
        The page is served on this machine alone: without TLS and a password it would be somebody else's, too. From another machine \
        it is reached through SSH: ssh -L 8099:127.0.0.1:8099 HOST there, with hrgate page --port 8099 here.
        """)
    }
    guard (0...65_535).contains(port ?? 0) else {
      throw ValidationError("--port takes a number from 0 to 65535.")
    }
  }

  func run() async throws {
    if port == nil, let address = try PageControl(socketsIn: PageSockets.folders).address(ofStore: store.file)
    {
      return try Self.tell(
        address, "the gateway serves the page; this address opens it once, within a minute", !noOpen)
    }
    let choice = try store.choice
    let board = StatusBoard()
    let page = PageServer(
      try StoreShelf(choice, store.openExistingSystem()), monitors: PageMonitors(board),
      radio: PageRadio(choice, adapter: try Settings.current.adapter),
      version: HRGate.configuration.version, isGateways: false)
    let (port, opens) = (port.map(PageServer.Port.exactly) ?? .usual, !noOpen)
    do {
      try await untilInterrupted(Interruption()) {
        try await withThrowingTaskGroup(of: Void.self) { tasks in
          tasks.addTask { await GatewayWatch(board: board).run() }
          tasks.addTask {
            try await page.run(port: port, socketsIn: PageSockets.folder) { try Self.tell($0, opens) }
          }
          // Without the page there is nothing to watch for.
          _ = try await tasks.next()
          tasks.cancelAll()
        }
      }
    } catch is CancellationError {
      // The user has seen enough.
    } catch let failure as PageFailure {
      throw Failure(failure.description)
    }
  }

  private static func tell(_ opening: PageServer.Opening, _ opens: Bool) throws {
    if let failure = opening.socketFailure {
      StandardError.tell("hrgate page sessions will not see this page: \(failure)")
    }
    if opening.isElsewhere {
      StandardError.tell(
        "another program has port \(PageServer.usualPort), so the page is on \(opening.port): what a browser keeps for the page, such as light or dark, it keeps for each port"
      )
    }
    try tell(opening.address, "the address opens once, within a minute; Ctrl-C ends the page", opens)
  }

  private static func tell(_ address: String, _ notice: String, _ opens: Bool) throws {
    try StandardOutput.write(address)
    try StandardOutput.flush()
    StandardError.tell(notice)
    if opens { BrowserLauncher.open(address) }
  }
}

extension StoreShelf {
  /// The store that was chosen, and those of the people of this user.
  /// - Throws: `ConfigurationFault`.
  convenience init(_ choice: StoreChoice, _ system: SystemStore) throws {
    // A file that was named belongs to nobody whom this user keeps.
    guard case .file(let path) = choice else {
      self.init(
        system, file: choice.file, person: choice.person,
        household: Household(owners: try StoreChoice.owners, people: DataHome.user.people))
      return
    }
    self.init(system, file: path)
  }
}

/// Where pages have their sockets: in the folder of the user's session, or beside their stores.
enum PageSockets {
  /// Where one of this program's is put.
  static var folder: String { folders[0] }

  /// Where there may be some. A service of the machine's knows no session.
  static var folders: [String] {
    let runtime = ProcessInfo.processInfo.environment["XDG_RUNTIME_DIR"].flatMap {
      $0.hasPrefix("/") ? $0 + "/hrgate" : nil
    }
    return [runtime, DataHome.user.path + "/run"].compactMap(\.self)
  }
}

/// Has the desktop open an address. Where there is none, the user opens what was printed.
enum BrowserLauncher {
  static func open(_ address: String) {
    let environment = ProcessInfo.processInfo.environment
    guard StandardOutput.isTerminal,
      ["DISPLAY", "WAYLAND_DISPLAY"].contains(where: { environment[$0] != nil })
    else { return }
    let browser = Process()
    browser.executableURL = URL(filePath: "/usr/bin/env")
    browser.arguments = ["xdg-open", address]
    // What a browser says is not for this terminal.
    browser.standardOutput = FileHandle.nullDevice
    browser.standardError = FileHandle.nullDevice
    try? browser.run()
  }
}
