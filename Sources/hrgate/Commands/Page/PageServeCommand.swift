import ArgumentParser
import Foundation
import HealthKit
import HealthPage
import HealthSystem

/// Serves the page.
struct PageServeCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "serve", abstract: "Serve the page until you interrupt it.")

  @Option(help: "The port on loopback (default: any that is free).")
  var port = 0
  @Flag(help: "Print the address only, and open no browser.")
  var noOpen = false
  @OptionGroup var store: StoreOptions

  func validate() throws {
    guard (0...65_535).contains(port) else { throw ValidationError("--port takes a number from 1 to 65535.") }
  }

  func run() async throws {
    let watch = GatewayWatch()
    let page = PageServer(try shelf(), monitors: PageMonitors(watch), version: HRGate.configuration.version)
    let (port, opens) = (port, !noOpen)
    do {
      try await untilInterrupted(Interruption()) {
        try await withThrowingTaskGroup(of: Void.self) { tasks in
          tasks.addTask { await watch.run() }
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

  private func shelf() throws -> StoreShelf {
    let choice = try store.choice
    let system = try store.openExistingSystem()
    // A file that was named belongs to nobody whom this user keeps.
    if case .file(let path) = choice { return StoreShelf(system, file: path) }
    return StoreShelf(
      system, file: choice.file, person: choice.person,
      household: StoreShelf.Household(owners: try StoreChoice.owners, people: DataHome.user.people))
  }

  private static func tell(_ opening: PageServer.Opening, _ opens: Bool) throws {
    try StandardOutput.write(opening.address)
    try StandardOutput.flush()
    if let failure = opening.socketFailure {
      StandardError.tell("hrgate page sessions will not see this page: \(failure)")
    }
    StandardError.tell("the address opens once, within a minute; Ctrl-C ends the page")
    if opens { BrowserLauncher.open(opening.address) }
  }
}

/// Where pages have their sockets: in the folder of the user's session, or beside their stores.
enum PageSockets {
  static var folder: String {
    let runtime = ProcessInfo.processInfo.environment["XDG_RUNTIME_DIR"].flatMap {
      $0.hasPrefix("/") ? $0 : nil
    }
    return (runtime.map { $0 + "/hrgate" }) ?? DataHome.user.path + "/run"
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
