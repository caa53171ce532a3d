import Foundation
import Glibc
import Testing

@testable import HealthPage
@testable import TestSupport

/// Tests the Unix domain socket of the page, which `hrgate page sessions` uses. Only the owner of the page
/// has access.
@Suite(.timeLimit(.minutes(30))) struct ControlTests {
  @Test func `sessions are listed and ended, and an ended one is invalid in the browser`() async throws {
    let store = try PageStore()
    let folder = store.folder.path("run")
    try await ServedPage.serve(store.page(), socketsIn: folder) { page in
      let control = PageControl(socketsIn: [folder])
      #expect(try await onOwnThread { control.sessions() }.value == [])
      let entered = try await page.entered()
      let session = try #require(try await onOwnThread { control.sessions() }.value.first)
      #expect(session.port == page.port)
      let own = try await entered.get("/api/sessions").decoded(SessionList.self).sessions
      #expect(own.map(\.id) == [session.id] && own.first?.isThis == true)
      #expect(try await onOwnThread { try control.end("nothing") }.value == 0)
      #expect(try await entered.get("/api/session").status == 200)
      #expect(try await onOwnThread { try control.end(session.id) }.value == 1)
      #expect(try await entered.get("/api/session").status == 401)
      #expect(try await onOwnThread { control.sessions() }.value == [])
      #expect(try await onOwnThread { try control.end(nil) }.value == 0)
    }
  }

  @Test func `only the owner can use the socket, and it is removed with the page`() async throws {
    let store = try PageStore()
    let folder = store.folder.path("run")
    try await ServedPage.serve(store.page(), socketsIn: folder) { page in
      let path = try #require(page.opening.socket)
      var (ofSocket, ofFolder) = (stat(), stat())
      #expect(lstat(path, &ofSocket) == 0 && lstat(folder, &ofFolder) == 0)
      #expect(ofSocket.st_mode & S_IFMT == S_IFSOCK && ofSocket.st_mode & 0o777 == 0o600)
      #expect(ofFolder.st_mode & 0o777 == 0o700)
    }
    #expect(SocketPath.all(in: folder) == [])
  }

  @Test func `a directory that others can enter gets no socket, and the page reports it`() async throws {
    let store = try PageStore()
    let folder = store.folder.path("open")
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
    chmod(folder, 0o755)
    try await ServedPage.serve(store.page(), socketsIn: folder) { page in
      #expect(page.opening.socket == nil)
      #expect(page.opening.socketFailure?.contains("chmod 700") == true)
      let client = try await page.entered()
      #expect(try await client.get("/api/session").status == 200)
    }
    #expect(SocketPath.all(in: folder) == [])
  }

  @Test(arguments: [0, 1] as [uid_t])
  func `the socket responds to its owner, and closes connections of another user`(
    other: uid_t
  ) async throws {
    let store = try PageStore()
    let folder = store.folder.path("run")
    let page = PageServer(
      StoreCache(store.system, file: store.file), monitors: .none, user: geteuid() + other)
    try await ServedPage.serve(page, socketsIn: folder) { page in
      let path = try #require(page.opening.socket)
      let request = Data("GET /sessions HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n".utf8)
      // If the server closes the connection without reading the request, the client gets an error or no data.
      let answer = try? await onOwnThread { try PageControl.exchange(request, at: path) }
      if other == 0 {
        #expect(String(decoding: answer ?? Data(), as: UTF8.self).hasPrefix("HTTP/1.1 200"))
      } else {
        #expect(answer ?? Data() == Data())
      }
    }
  }

  @Test func `a browser's request on the socket is rejected`() async throws {
    let store = try PageStore()
    let folder = store.folder.path("run")
    try await ServedPage.serve(store.page(), socketsIn: folder) { page in
      let path = try #require(page.opening.socket)
      let head = "GET /sessions HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
      let request = Data("\(head)Origin: http://evil.example\r\n\r\n".utf8)
      let answer = try await onOwnThread { try PageControl.exchange(request, at: path) }
      #expect(String(decoding: answer ?? Data(), as: UTF8.self).hasPrefix("HTTP/1.1 403"))
    }
  }

  @Test func `a request on the socket has at most 64 kB`() async throws {
    let store = try PageStore()
    let folder = store.folder.path("run")
    try await ServedPage.serve(store.page(), socketsIn: folder) { page in
      let path = try #require(page.opening.socket)
      func status(_ size: Int) async throws -> String {
        let body = #"{"id":""# + String(repeating: "x", count: size - 9) + #""}"#
        let head = "POST /sessions/end HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
        let request = Data("\(head)Content-Length: \(body.utf8.count)\r\n\r\n\(body)".utf8)
        let answer = try await onOwnThread { try PageControl.exchange(request, at: path) }
        return String(String(decoding: answer ?? Data(), as: UTF8.self).prefix(12))
      }
      #expect(try await status(PageRequest.largestBody) == "HTTP/1.1 404")
      #expect(try await status(PageRequest.largestBody + 1) == "HTTP/1.1 413")
    }
  }

  @Test func `a file in place of the directory is rejected`() throws {
    let folder = try TemporaryFolder()
    let file = try folder.file("run", [])
    chmod(file, 0o600)
    #expect(throws: PageServerError.self) { try SocketPath(in: file, port: 1) }
  }

  @Test func `a missing directory and its parents are created without access for others`() throws {
    let folder = try TemporaryFolder()
    let run = folder.path("home/run")
    #expect(try SocketPath(in: run, port: 1).path == "\(run)/page-1.sock")
    for made in [folder.path("home"), run] {
      var status = stat()
      #expect(lstat(made, &status) == 0 && status.st_mode & 0o777 == 0o700)
    }
  }

  @Test func `a symbolic link in place of the directory is rejected`() throws {
    let folder = try TemporaryFolder()
    let own = folder.path("own")
    #expect(mkdir(own, 0o700) == 0 && symlink(own, folder.path("link")) == 0)
    _ = try SocketPath(in: own, port: 1)
    #expect(throws: PageServerError.self) { try SocketPath(in: folder.path("link"), port: 1) }
  }

  @Test(.enabled(if: geteuid() == 0)) func `a directory of another user is rejected`() throws {
    let folder = try TemporaryFolder()
    let other = folder.path("other")
    #expect(mkdir(other, 0o700) == 0 && chown(other, 65_534, 65_534) == 0)
    #expect(throws: PageServerError.self) { try SocketPath(in: other, port: 1) }
  }

  @Test func `the socket of a killed server is ignored`() throws {
    let folder = try TemporaryFolder()
    chmod(folder.url.path, 0o700)
    let place = try SocketPath(in: folder.url.path, port: 4711)
    #expect(FileManager.default.createFile(atPath: place.path, contents: nil))
    let answers = PageControl(socketsIn: [folder.url.path]).sessions()
    #expect(answers.value == [] && answers.failures == [])
    #expect(try PageControl(socketsIn: [folder.path("none")]).end(nil).value == 0)
  }

  @Test func `a server that hangs, or is of another kind, does not affect others`() async throws {
    let store = try PageStore()
    let folder = store.folder.path("run")
    try await ServedPage.serve(store.page(), socketsIn: folder) { page in
      let entered = try await page.entered()
      let hanging = try LocalListener(at: SocketPath(in: folder, port: 1).path)
      let other = try SocketPath(in: folder, port: 2).path
      let garbage = try LocalListener(at: other, saying: "SSH-2.0-x\r\n")
      let control = PageControl(socketsIn: [folder])
      let listed = try await onOwnThread { control.sessions() }
      #expect(listed.value.map(\.port) == [page.port])
      #expect(listed.failures.count == 2, "\(listed.failures)")
      #expect(listed.failures.contains { $0.contains("page-1.sock does not respond") })
      #expect(listed.failures.contains { $0.contains("page-2.sock is not a page server") })
      let ended = try await onOwnThread { try control.end(nil) }
      #expect(ended.value == 1 && !ended.failures.isEmpty)
      #expect(try await entered.get("/api/session").status == 401)
      withExtendedLifetime((hanging, garbage)) {}
    }
  }

  @Test func `sockets in a directory that other users can enter are ignored`() async throws {
    let store = try PageStore()
    let folder = store.folder.path("run")
    try await ServedPage.serve(store.page(), socketsIn: folder) { page in
      _ = try await page.entered()
      let control = PageControl(socketsIn: [folder])
      #expect(try await onOwnThread { control.sessions() }.value.count == 1)
      chmod(folder, 0o770)
      #expect(try await onOwnThread { control.sessions() }.value.count == 0)
      chmod(folder, 0o700)
    }
  }

  @Test func `a gateway's page returns addresses for its own store, each of which works once`() async throws {
    let store = try PageStore()
    let (folder, file, other) = (store.folder.path("run"), store.file, store.folder.path("other.sqlite"))
    let (none, link) = (store.folder.path("none"), store.folder.path("link.sqlite"))
    let page = PageServer(StoreCache(store.system, file: store.file), monitors: .none, isGateways: true)
    try await ServedPage.serve(page, socketsIn: folder) { page in
      let control = PageControl(socketsIn: [none, folder])
      let addresses = try await onOwnThread {
        try (0..<2).compactMap { _ in try control.address(ofStore: file) }
      }
      #expect(Set(addresses).count == 2)
      for address in addresses {
        let target = try #require(
          address.wholeMatch(of: #/http:\/\/127\.0\.0\.1:\d+(?<path>\/open\?code=[0-9a-f]{64})/#))
        #expect(address.hasPrefix("http://127.0.0.1:\(page.port)/"))
        #expect(try await page.client.get(String(target.output.path)).status == 303)
        #expect(try await page.client.get(String(target.output.path)).status == 403)
      }
      #expect(
        try await onOwnThread { try control.address(ofStore: other) } == nil)
      // A symbolic link to the file of the store names the same store.
      try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: file)
      #expect(try await onOwnThread { try control.address(ofStore: link) } != nil)
    }
  }

  @Test func `a page that no gateway serves returns no addresses on its socket`() async throws {
    let store = try PageStore()
    let (folder, file) = (store.folder.path("run"), store.file)
    try await ServedPage.serve(store.page(), socketsIn: folder) { _ async throws in
      let control = PageControl(socketsIn: [folder])
      #expect(try await onOwnThread { try control.address(ofStore: file) } == nil)
    }
  }
}
