internal import Web
internal import Wire

extension AccountsFeature {
    func addIdentityRoutes(to routes: Routes) {
        let (apple, oidc, link, list) = (signInWithApple, signInWithOIDC, linkIdentity, listIdentities)
        routes.serve(IdentityEndpoints.apple) { input, _ in try await apple(input) }
        routes.serve(IdentityEndpoints.oidc) { input, _ in try await oidc(input) }
        routes.serve(IdentityEndpoints.link) { input, context in try await link(input, try context.requireViewer()) }
        routes.serve(IdentityEndpoints.identities) { _, context in try await list(try context.requireViewer()) }
    }
}
